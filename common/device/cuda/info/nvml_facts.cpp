#include "device/cuda/info/nvml_facts.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/check.hpp"
#include "device/cuda/info/nvml.hpp"

namespace quartet::device {

namespace {

constexpr int success = 0;

/// NVML between its initialisation and its end.
class Session {
  public:
    Session() {
        if (const int status = nvml_->initialise(); status != success)
            throw Failure(fmt::format("nvmlInit failed with {}", status));
    }
    ~Session() { static_cast<void>(nvml_->shut_down()); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] const Nvml& functions() const { return *nvml_; }

  private:
    std::shared_ptr<const Nvml> nvml_ = load_nvml();
};

/// The text that `read(buffer, length)` gives, or nothing.
template <typename Read>
std::string text_of(Read read) {
    std::array<char, 256> text{};
    return read(text.data(), static_cast<unsigned>(text.size()) - 1) == success ? text.data() : "";
}

/// The number that `read(&number)` gives, as a Result, or nothing.
template <typename Result, typename Number = unsigned, typename Read>
std::optional<Result> number_of(Read read) {
    Number number{};
    if (read(&number) != success)
        return std::nullopt;
    return static_cast<Result>(number);
}

void read_clocks(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    facts.clock_mhz = number_of<int>(
        [&](auto* value) { return nvml.clock(gpu, Nvml::multiprocessor_clock, value); });
    facts.memory_clock_mhz =
        number_of<int>([&](auto* value) { return nvml.clock(gpu, Nvml::memory_clock, value); });
    facts.most_clock_mhz = number_of<int>(
        [&](auto* value) { return nvml.most_clock(gpu, Nvml::multiprocessor_clock, value); });
    const auto mask = number_of<std::uint64_t, unsigned long long>(
        [&](auto* value) { return nvml.throttle_reasons(gpu, value); });
    facts.throttled_by = throttle_reasons(mask.value_or(0));
}

void read_power(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    const auto limit = number_of<double>([&](auto* value) { return nvml.power_limit(gpu, value); });
    const auto energy =
        number_of<double, unsigned long long>([&](auto* value) { return nvml.energy(gpu, value); });
    if (limit)
        facts.power_limit_watts = *limit / 1000;
    if (energy)
        facts.energy_joules = *energy / 1000;
    facts.temperature_celsius = number_of<int>(
        [&](auto* value) { return nvml.temperature(gpu, Nvml::gpu_temperature, value); });
}

void read_modes(const Nvml& nvml, Nvml::Device gpu, GpuFacts& facts) {
    unsigned pending = 0;
    facts.error_correction =
        number_of<bool>([&](auto* value) { return nvml.error_correction(gpu, value, &pending); });
    facts.partitioned =
        number_of<bool>([&](auto* value) { return nvml.partitioning(gpu, value, &pending); });
    Nvml::Memory memory{};
    if (nvml.memory(gpu, &memory) == success)
        facts.memory = Bytes{static_cast<std::int64_t>(memory.total)};
}

}  // namespace

GpuFacts read_gpu_facts(const std::string& pci_bus) {
    GpuFacts facts;
    facts.pci_bus = pci_bus;
    try {
        const Session session;
        const Nvml& nvml = session.functions();
        Nvml::Device gpu = nullptr;
        if (const int status = nvml.handle_by_pci_bus(pci_bus.c_str(), &gpu); status != success)
            throw Failure(fmt::format("NVML knows no GPU at {} ({})", pci_bus, status));
        facts.driver = text_of(nvml.driver_version);
        facts.name = text_of([&](auto... to) { return nvml.name(gpu, to...); });
        facts.uuid = text_of([&](auto... to) { return nvml.uuid(gpu, to...); });
        read_clocks(nvml, gpu, facts);
        read_power(nvml, gpu, facts);
        read_modes(nvml, gpu, facts);
    } catch (const std::exception& error) {
        facts.why_empty = error.what();
    }
    return facts;
}

std::vector<std::string> throttle_reasons(std::uint64_t mask) {
    // nvml.h, nvmlClocksThrottleReason*.
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
