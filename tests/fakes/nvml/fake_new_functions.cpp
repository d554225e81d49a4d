#include <span>

#include "fakes/nvml/fake_nvml.hpp"

using quartet::device::Nvml;

int nvmlDeviceGetCurrentClocksEventReasons(Device, unsigned long long* mask) {
    *mask = fake_nvml_is("capped") ? 0x4 : 0;
    return fake_nvml_is("refuses") ? 3 : 0;
}

int nvmlDeviceGetTemperatureV(Device, Nvml::Temperature* temperature) {
    temperature->celsius = 50;
    return temperature->version == 0x100000c && temperature->sensor == 0 ? 0 : 25;
}

// The fields that we ask for.
int nvmlDeviceGetFieldValues(Device, int count, Nvml::FieldValue* fields) {
    for (Nvml::FieldValue& field : std::span(fields, static_cast<std::size_t>(count))) {
        const bool caps = field.field == Nvml::power_cap_field;
        const bool holds_down = caps || field.field >= Nvml::thermal_slowdown_field;
        const bool sends =
            field.field == Nvml::pcie_sent_field ||
            (field.field == Nvml::nvlink_sent_field && field.scope == Nvml::all_links);
        field.status = (holds_down || sends) && !fake_nvml_is("refuses") ? 0 : 3;
        field.type = Nvml::unsigned_long_long_type;
        field.value.wide = sends ? 3
                           : caps && fake_nvml_is("capped")
                               ? static_cast<unsigned long long>(0.4e9 * fake_nvml_seconds())
                               : 0;
    }
    return 0;
}

int nvmlDeviceGetC2cModeInfoV(Device, unsigned* enabled) {
    *enabled = 0;
    return 0;
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(Device, unsigned* count, void* infos) {
    *count = 2;
    return infos == nullptr ? 7 : 0;
}
