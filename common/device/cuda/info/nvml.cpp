#include "device/cuda/info/nvml.hpp"

#include "core/shared_library.hpp"

namespace quartet::device {

std::shared_ptr<const Nvml> load_nvml() {
    return load_library(
        {.names = {"libnvidia-ml.so.1"},
         .what = "NVIDIA's management library",
         .advice = "install it with the driver"},
        LibraryFunction{&Nvml::initialise, "nvmlInit_v2"},
        LibraryFunction{&Nvml::shut_down, "nvmlShutdown"},
        LibraryFunction{&Nvml::handle_by_pci_bus, "nvmlDeviceGetHandleByPciBusId_v2"},
        LibraryFunction{&Nvml::driver_version, "nvmlSystemGetDriverVersion"},
        LibraryFunction{&Nvml::name, "nvmlDeviceGetName"},
        LibraryFunction{&Nvml::uuid, "nvmlDeviceGetUUID"},
        LibraryFunction{&Nvml::memory, "nvmlDeviceGetMemoryInfo"},
        LibraryFunction{&Nvml::clock, "nvmlDeviceGetClockInfo"},
        LibraryFunction{&Nvml::most_clock, "nvmlDeviceGetMaxClockInfo"},
        LibraryFunction{&Nvml::throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"},
        LibraryFunction{&Nvml::error_correction, "nvmlDeviceGetEccMode"},
        LibraryFunction{&Nvml::partitioning, "nvmlDeviceGetMigMode"},
        LibraryFunction{&Nvml::power_limit, "nvmlDeviceGetEnforcedPowerLimit"},
        LibraryFunction{&Nvml::energy, "nvmlDeviceGetTotalEnergyConsumption"},
        LibraryFunction{&Nvml::temperature, "nvmlDeviceGetTemperature"});
}

}  // namespace quartet::device
