#include "device/cuda/info/nvml.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

#include "core/check.hpp"
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

namespace {

constexpr int success = 0;
constexpr int insufficient_size = 7;

/// Asks by a function of the library. False if it refuses, or there is none.
template <typename... Parameters, typename... Arguments>
bool ask(int (*function)(Parameters...), Arguments... arguments) {
    return function != nullptr && function(arguments...) == success;
}

/// NVML between its initialisation and its end.
std::shared_ptr<const Nvml> initialised(const char* library) {
    auto nvml = load_nvml(library);
    if (const int status = nvml->initialise != nullptr ? nvml->initialise() : -1; status != success)
        throw Failure(fmt::format("NVML cannot be initialised ({})", status));
    const Nvml* functions = nvml.get();
    return {functions, [kept = std::move(nvml)](const Nvml*) { ask(kept->shut_down); }};
}

/// The text that the function gives, after `of`, or nothing.
template <typename Function, typename... Of>
std::string text_of(Function* function, Of... of) {
    std::array<char, 256> text{};
    return ask(function, of..., text.data(), static_cast<unsigned>(text.size()) - 1) ? text.data()
                                                                                     : "";
}

/// The number that the function gives, after `of`, as a Result, or nothing.
template <typename Result, typename Number = unsigned, typename Function, typename... Of>
std::optional<Result> number_of(Function* function, Of... of) {
    Number number{};
    return ask(function, of..., &number) ? std::optional(static_cast<Result>(number))
                                         : std::nullopt;
}

/// Whether a mode that can change at the next start is on now.
std::optional<bool> mode_of(int (*function)(Nvml::Device, unsigned*, unsigned*), Nvml::Device gpu) {
    unsigned current = 0;
    unsigned pending = 0;
    return ask(function, gpu, &current, &pending) ? std::optional(current != 0) : std::nullopt;
}

void read_clocks(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    facts.clock_mhz = number_of<int>(nvml.clock, gpu, Nvml::multiprocessor_clock);
    facts.memory_clock_mhz = number_of<int>(nvml.clock, gpu, Nvml::memory_clock);
    facts.most_clock_mhz = number_of<int>(nvml.most_clock, gpu, Nvml::multiprocessor_clock);
    if (const auto mask = number_of<std::uint64_t, unsigned long long>(
            nvml.event_reasons != nullptr ? nvml.event_reasons : nvml.throttle_reasons, gpu))
        facts.throttled_by = throttle_reasons(*mask);
}

void read_power(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    if (const auto milliwatts = number_of<double>(nvml.power_limit, gpu))
        facts.power_limit_watts = *milliwatts / 1000;
    Nvml::Temperature temperature;
    facts.temperature_celsius =
        ask(nvml.temperature, gpu, &temperature)
            ? temperature.celsius
            : number_of<int>(nvml.temperature_of, gpu, Nvml::gpu_temperature);
}

// nvml.h, nvmlComputeMode_t.
std::string compute_mode_name(unsigned mode) {
    constexpr std::array names{"default", "exclusive thread", "prohibited", "exclusive process"};
    return mode < names.size() ? names.at(mode) : fmt::format("{}", mode);
}

std::optional<int> mps_processes(const Nvml& nvml, Nvml::Device gpu) {
    unsigned count = 0;
    const int status =
        nvml.mps_processes == nullptr ? -1 : nvml.mps_processes(gpu, &count, nullptr);
    return status == success || status == insufficient_size ? std::optional(static_cast<int>(count))
                                                            : std::nullopt;
}

void read_modes(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    facts.error_correction = mode_of(nvml.error_correction, gpu);
    facts.partitioned = mode_of(nvml.partitioning, gpu);
    facts.persistence = number_of<bool>(nvml.persistence, gpu);
    facts.mps_processes = mps_processes(nvml, gpu);
    facts.c2c = number_of<bool>(nvml.c2c, gpu);
    if (const auto mode = number_of<unsigned>(nvml.compute_mode, gpu))
        facts.compute_mode = compute_mode_name(*mode);
    Nvml::Memory memory{};
    if (ask(nvml.memory, gpu, &memory))
        facts.memory = Bytes{static_cast<std::int64_t>(memory.total)};
}

// nvml.h, nvmlNvlinkVersion_t.
std::string nvlink_version_name(unsigned version) {
    constexpr std::array names{"", "1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0"};
    return version < names.size() ? names.at(version) : fmt::format("number {}", version);
}

void read_links(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    facts.pcie_generation = number_of<int>(nvml.pcie_generation, gpu);
    facts.pcie_width = number_of<int>(nvml.pcie_width, gpu);
    facts.most_pcie_generation = number_of<int>(nvml.most_pcie_generation, gpu);
    facts.most_pcie_width = number_of<int>(nvml.most_pcie_width, gpu);
    for (unsigned link = 0; link < Nvml::most_links; ++link) {
        const auto active = number_of<int>(nvml.link_is_active, gpu, link);
        if (!active)
            continue;
        facts.nvlink_links = facts.nvlink_links.value_or(0) + *active;
        if (*active != 0 && facts.nvlink_version.empty())
            facts.nvlink_version =
                nvlink_version_name(number_of<unsigned>(nvml.link_version, gpu, link).value_or(0));
    }
}

/// Nothing if the field is refused, or of a type that no counter has.
std::optional<double> count_of(const Nvml::FieldValue& field) {
    if (field.status != success)
        return std::nullopt;
    switch (field.type) {
        case Nvml::unsigned_type:
            return field.value.narrow;
        case Nvml::unsigned_long_type:
        case Nvml::unsigned_long_long_type:
        case Nvml::long_long_type:
            return static_cast<double>(field.value.wide);
        default:
            return std::nullopt;
    }
}

std::optional<Seconds> time_of(const Nvml::FieldValue& field) {
    const auto nanoseconds = count_of(field);
    return nanoseconds ? std::optional(Seconds{1e-9 * *nanoseconds}) : std::nullopt;
}

// Either of two that may overlap.
std::optional<Seconds> longer(std::optional<Seconds> one, std::optional<Seconds> other) {
    return one && other ? std::max(*one, *other) : one ? one : other;
}

}  // namespace

NvmlGpu::NvmlGpu(std::string pci_bus, const char* library) : pci_bus_(std::move(pci_bus)) {
    try {
        auto nvml = initialised(library);
        if (!ask(nvml->handle_by_pci_bus, pci_bus_.c_str(), &gpu_))
            throw Failure(fmt::format("NVML knows no GPU at {}", pci_bus_));
        is_partitioned_ = mode_of(nvml->partitioning, gpu_).value_or(false);
        nvml_ = std::move(nvml);
    } catch (const std::exception& error) {
        why_empty_ = error.what();
    }
}

GpuFacts NvmlGpu::facts() const {
    GpuFacts facts;
    facts.pci_bus = pci_bus_;
    facts.why_empty = why_empty_;
    if (!nvml_)
        return facts;
    facts.driver = text_of(nvml_->driver_version);
    facts.name = text_of(nvml_->name, gpu_);
    facts.uuid = text_of(nvml_->uuid, gpu_);
    read_clocks(*nvml_, gpu_, facts);
    read_power(*nvml_, gpu_, facts);
    read_modes(*nvml_, gpu_, facts);
    read_links(*nvml_, gpu_, facts);
    facts.counters = counters();
    return facts;
}

GpuCounters NvmlGpu::counters() const {
    GpuCounters counters;
    if (!nvml_)
        return counters;
    if (const auto millijoules = number_of<double, unsigned long long>(nvml_->energy, gpu_);
        millijoules && !is_partitioned_)
        counters.energy_joules = *millijoules / 1000;
    std::array<Nvml::FieldValue, 6> fields;
    fields[0].field = Nvml::power_cap_field;
    fields[1].field = Nvml::power_brake_field;
    fields[2].field = Nvml::thermal_slowdown_field;
    fields[3].field = Nvml::hardware_thermal_slowdown_field;
    fields[4].field = Nvml::nvlink_sent_field;
    fields[4].scope = Nvml::all_links;
    fields[5].field = Nvml::pcie_sent_field;
    if (ask(nvml_->fields, gpu_, static_cast<int>(fields.size()), fields.data())) {
        counters.power_capped = time_of(fields[0]);
        counters.power_braked = time_of(fields[1]);
        counters.thermally_slowed = longer(time_of(fields[2]), time_of(fields[3]));
        if (const auto kibibytes = count_of(fields[4]); kibibytes && !is_partitioned_)
            counters.nvlink_sent = 1024 * *kibibytes;
        if (const auto bytes = count_of(fields[5]); bytes && !is_partitioned_)
            counters.pcie_sent = *bytes;
    }
    return counters;
}

std::vector<std::string> throttle_reasons(std::uint64_t mask) {
    // nvml.h, nvmlClocksEventReason*.
    constexpr std::pair<std::uint64_t, const char*> names[] = {{0x1, "idle"},
                                                               {0x2, "application clocks"},
                                                               {0x4, "power cap"},
                                                               {0x8, "hardware slowdown"},
                                                               {0x10, "sync boost"},
                                                               {0x20, "thermal slowdown"},
                                                               {0x40, "hardware thermal slowdown"},
                                                               {0x80, "hardware power brake"},
                                                               {0x100, "display clocks"}};
    std::vector<std::string> reasons;
    for (const auto& [bit, name] : names) {
        if ((mask & bit) != 0)
            reasons.emplace_back(name);
        mask &= ~bit;
    }
    if (mask != 0)
        reasons.push_back(fmt::format("{:#x}", mask));
    return reasons;
}

}  // namespace quartet::device
