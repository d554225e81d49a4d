#include "device/cuda/info/nvml.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/shared_library.hpp"

namespace quartet::device {

namespace {

/// Throws Unavailable if the library is missing.
std::shared_ptr<const Nvml> load_nvml(const char* name) {
    const auto optional = [](auto member, const char* function) {
        return LibraryFunction{member, function, Presence::optional};
    };
    return load_library(
        {.names = {name},
         .what = "NVIDIA's management library",
         .advice = "install it with the driver"},
        optional(&Nvml::initialise, "nvmlInit_v2"), optional(&Nvml::shut_down, "nvmlShutdown"),
        optional(&Nvml::handle_by_pci_bus, "nvmlDeviceGetHandleByPciBusId_v2"),
        optional(&Nvml::driver_version, "nvmlSystemGetDriverVersion"),
        optional(&Nvml::clock, "nvmlDeviceGetClockInfo"),
        optional(&Nvml::most_clock, "nvmlDeviceGetMaxClockInfo"),
        optional(&Nvml::event_reasons, "nvmlDeviceGetCurrentClocksEventReasons"),
        optional(&Nvml::throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"),
        optional(&Nvml::partitioning, "nvmlDeviceGetMigMode"),
        optional(&Nvml::power_limit, "nvmlDeviceGetEnforcedPowerLimit"),
        optional(&Nvml::energy, "nvmlDeviceGetTotalEnergyConsumption"),
        optional(&Nvml::fields, "nvmlDeviceGetFieldValues"));
}

constexpr int success = 0;

/// Calls a function of the library. False if the function fails, or does not exist.
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

/// The number that function(of..., &number) stores, as a Result; nothing if that fails.
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

/// The reasons of a mask in words, in the order of its bits; unknown bits as a number.
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

void read_clocks(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    facts.clock_mhz = number_of<int>(nvml.clock, gpu, Nvml::multiprocessor_clock);
    facts.most_clock_mhz = number_of<int>(nvml.most_clock, gpu, Nvml::multiprocessor_clock);
    if (const auto mask = number_of<std::uint64_t, unsigned long long>(
            nvml.event_reasons != nullptr ? nvml.event_reasons : nvml.throttle_reasons, gpu))
        facts.throttled_by = throttle_reasons(*mask);
}

/// The value of a field; nothing if NVML refused it, or if its type is none that counters have.
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

// The longer of two times, which may overlap; the known one if the other is unknown.
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
    std::array<char, 256> driver{};
    if (ask(nvml_->driver_version, driver.data(), static_cast<unsigned>(driver.size()) - 1))
        facts.driver = driver.data();
    facts.partitioned = mode_of(nvml_->partitioning, gpu_);
    if (const auto milliwatts = number_of<double>(nvml_->power_limit, gpu_))
        facts.power_limit_watts = *milliwatts / 1000;
    read_clocks(*nvml_, gpu_, facts);
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
    std::array<Nvml::FieldValue, 4> fields;
    fields[0].field = Nvml::power_cap_field;
    fields[1].field = Nvml::power_brake_field;
    fields[2].field = Nvml::thermal_slowdown_field;
    fields[3].field = Nvml::hardware_thermal_slowdown_field;
    if (ask(nvml_->fields, gpu_, static_cast<int>(fields.size()), fields.data())) {
        counters.power_capped = time_of(fields[0]);
        counters.power_braked = time_of(fields[1]);
        counters.thermally_slowed = longer(time_of(fields[2]), time_of(fields[3]));
    }
    return counters;
}

}  // namespace quartet::device
