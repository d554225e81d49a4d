#include "fakes/nvml/fake_nvml.hpp"

#include <cstring>
#include <ctime>

#include "core/environment.hpp"

namespace {

// Of an H100 that is there since the machine started, and takes 500 W at all times.
constexpr double watts = 500;

int copy(const char* text, char* to, unsigned length) {
    std::strncpy(to, text, length);
    return 0;
}

}  // namespace

bool fake_nvml_is(const char* word) {
    const auto words = quartet::Environment().get("QUARTET_STAND_IN_NVML");
    return words && words->find(word) != std::string::npos;
}

double fake_nvml_seconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int nvmlInit_v2() {
    return fake_nvml_is("no driver") ? 9 : 0;
}

int nvmlShutdown() {
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char*, Device* gpu) {
    *gpu = nullptr;
    return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
    return copy("580.0", text, length);
}

int nvmlDeviceGetName(Device, char* text, unsigned length) {
    return copy("Fake", text, length);
}

int nvmlDeviceGetUUID(Device, char* text, unsigned length) {
    return copy("GPU-fake", text, length);
}

int nvmlDeviceGetClockInfo(Device, int, unsigned* megahertz) {
    *megahertz = 1700;
    return 0;
}

int nvmlDeviceGetMaxClockInfo(Device, int, unsigned* megahertz) {
    *megahertz = 1980;
    return 0;
}

// The name of before CUDA 12.
int nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* mask) {
    *mask = 0x20;
    return 0;
}

int nvmlDeviceGetTemperature(Device, int, unsigned* celsius) {
    *celsius = 40;
    return 0;
}

int nvmlDeviceGetEccMode(Device, unsigned* current, unsigned* pending) {
    *current = *pending = 1;
    return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(Device, unsigned* milliwatts) {
    *milliwatts = 700'000;
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(Device, unsigned long long* millijoules) {
    *millijoules = static_cast<unsigned long long>(1000 * watts * fake_nvml_seconds());
    return fake_nvml_is("refuses") ? 3 : 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(Device, unsigned* generation) {
    *generation = 1;  // idle
    return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(Device, unsigned* generation) {
    *generation = 5;
    return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(Device, unsigned* lanes) {
    *lanes = 8;
    return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(Device, unsigned* lanes) {
    *lanes = 16;
    return 0;
}

int nvmlDeviceGetNvLinkState(Device, unsigned link, unsigned* active) {
    *active = link < 2 ? 1 : 0;
    return link < 4 ? 0 : 2;
}

int nvmlDeviceGetNvLinkVersion(Device, unsigned, unsigned* version) {
    *version = 6;
    return 0;
}

int nvmlDeviceGetComputeMode(Device, unsigned* mode) {
    *mode = 3;
    return 0;
}

int nvmlDeviceGetPersistenceMode(Device, unsigned* mode) {
    *mode = 1;
    return 0;
}
