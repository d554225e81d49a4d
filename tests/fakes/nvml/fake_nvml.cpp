#include <cstring>
#include <ctime>
#include <span>

#include "core/environment.hpp"
#include "device/cuda/info/nvml.hpp"

// A pretended NVML, for LD_LIBRARY_PATH, with some of its functions. QUARTET_STAND_IN_NVML has any
// of the words "no driver", "refuses" (what says how the GPU fares), "capped" (two fifths of the
// time).

using quartet::device::Nvml;
using Device = Nvml::Device;

namespace {

// Of an H100 that is there since the machine started, and takes 500 W at all times.
constexpr double watts = 500;

bool fake_nvml_is(const char* word) {
    const auto words = quartet::Environment().get("QUARTET_STAND_IN_NVML");
    return words && words->find(word) != std::string::npos;
}

// On a clock that all processes share.
double fake_nvml_seconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

extern "C" {

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
    std::strncpy(text, "580.0", length);
    return 0;
}

int nvmlDeviceGetClockInfo(Device, int, unsigned* megahertz) {
    *megahertz = 1700;
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(Device, unsigned long long* millijoules) {
    *millijoules = static_cast<unsigned long long>(1000 * watts * fake_nvml_seconds());
    return fake_nvml_is("refuses") ? 3 : 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(Device, unsigned long long* mask) {
    *mask = fake_nvml_is("capped") ? 0x4 : 0;
    return fake_nvml_is("refuses") ? 3 : 0;
}

// The fields that we ask for.
int nvmlDeviceGetFieldValues(Device, int count, Nvml::FieldValue* fields) {
    for (Nvml::FieldValue& field : std::span(fields, static_cast<std::size_t>(count))) {
        const bool caps = field.field == Nvml::power_cap_field;
        const bool holds_down = caps || field.field >= Nvml::thermal_slowdown_field;
        field.status = holds_down && !fake_nvml_is("refuses") ? 0 : 3;
        field.type = Nvml::unsigned_long_long_type;
        field.value.wide = caps && fake_nvml_is("capped")
                               ? static_cast<unsigned long long>(0.4e9 * fake_nvml_seconds())
                               : 0;
    }
    return 0;
}

}  // extern "C"
