#include "device/cuda/info/nvml.hpp"

#include "core/shared_library.hpp"

namespace quartet::device {

std::shared_ptr<const Nvml> load_nvml(const char* name) {
    return load_what_is_there(
        {.names = {name},
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
        LibraryFunction{&Nvml::event_reasons, "nvmlDeviceGetCurrentClocksEventReasons"},
        LibraryFunction{&Nvml::throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"},
        LibraryFunction{&Nvml::error_correction, "nvmlDeviceGetEccMode"},
        LibraryFunction{&Nvml::partitioning, "nvmlDeviceGetMigMode"},
        LibraryFunction{&Nvml::power_limit, "nvmlDeviceGetEnforcedPowerLimit"},
        LibraryFunction{&Nvml::energy, "nvmlDeviceGetTotalEnergyConsumption"},
        LibraryFunction{&Nvml::fields, "nvmlDeviceGetFieldValues"},
        LibraryFunction{&Nvml::temperature, "nvmlDeviceGetTemperatureV"},
        LibraryFunction{&Nvml::temperature_of, "nvmlDeviceGetTemperature"},
        LibraryFunction{&Nvml::pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration"},
        LibraryFunction{&Nvml::pcie_width, "nvmlDeviceGetCurrPcieLinkWidth"},
        LibraryFunction{&Nvml::most_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration"},
        LibraryFunction{&Nvml::most_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth"},
        LibraryFunction{&Nvml::link_is_active, "nvmlDeviceGetNvLinkState"},
        LibraryFunction{&Nvml::link_version, "nvmlDeviceGetNvLinkVersion"},
        LibraryFunction{&Nvml::compute_mode, "nvmlDeviceGetComputeMode"},
        LibraryFunction{&Nvml::persistence, "nvmlDeviceGetPersistenceMode"},
        LibraryFunction{&Nvml::mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v3"},
        LibraryFunction{&Nvml::c2c, "nvmlDeviceGetC2cModeInfoV"});
}

}  // namespace quartet::device
