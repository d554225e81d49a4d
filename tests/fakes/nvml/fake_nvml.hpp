#pragma once

#include "device/cuda/info/nvml.hpp"

/// A pretended NVML, for LD_LIBRARY_PATH. The old one lacks the functions of CUDA 12 and 13, and
/// both lack nvmlDeviceGetMigMode and nvmlDeviceGetMemoryInfo. QUARTET_STAND_IN_NVML has any of the
/// words "no driver", "refuses" (what says how the GPU fares), "capped" (two fifths of the time).
using Device = quartet::device::Nvml::Device;

bool fake_nvml_is(const char* word);
/// On a clock that all processes share.
double fake_nvml_seconds();

extern "C" {
int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, Device* gpu);
int nvmlSystemGetDriverVersion(char* text, unsigned length);
int nvmlDeviceGetName(Device gpu, char* text, unsigned length);
int nvmlDeviceGetUUID(Device gpu, char* text, unsigned length);
int nvmlDeviceGetClockInfo(Device gpu, int kind, unsigned* megahertz);
int nvmlDeviceGetMaxClockInfo(Device gpu, int kind, unsigned* megahertz);
int nvmlDeviceGetCurrentClocksThrottleReasons(Device gpu, unsigned long long* mask);
int nvmlDeviceGetTemperature(Device gpu, int sensor, unsigned* celsius);
int nvmlDeviceGetEccMode(Device gpu, unsigned* current, unsigned* pending);
int nvmlDeviceGetEnforcedPowerLimit(Device gpu, unsigned* milliwatts);
int nvmlDeviceGetTotalEnergyConsumption(Device gpu, unsigned long long* millijoules);
int nvmlDeviceGetCurrPcieLinkGeneration(Device gpu, unsigned* generation);
int nvmlDeviceGetMaxPcieLinkGeneration(Device gpu, unsigned* generation);
int nvmlDeviceGetCurrPcieLinkWidth(Device gpu, unsigned* lanes);
int nvmlDeviceGetMaxPcieLinkWidth(Device gpu, unsigned* lanes);
int nvmlDeviceGetNvLinkState(Device gpu, unsigned link, unsigned* active);
int nvmlDeviceGetNvLinkVersion(Device gpu, unsigned link, unsigned* version);
int nvmlDeviceGetComputeMode(Device gpu, unsigned* mode);
int nvmlDeviceGetPersistenceMode(Device gpu, unsigned* mode);

int nvmlDeviceGetCurrentClocksEventReasons(Device gpu, unsigned long long* mask);
int nvmlDeviceGetTemperatureV(Device gpu, quartet::device::Nvml::Temperature* temperature);
int nvmlDeviceGetFieldValues(Device gpu, int count, quartet::device::Nvml::FieldValue* fields);
int nvmlDeviceGetC2cModeInfoV(Device gpu, unsigned* enabled);
int nvmlDeviceGetMPSComputeRunningProcesses_v3(Device gpu, unsigned* count, void* infos);
}
