#include "bench/report/row.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure/samples.hpp"

namespace quartet::bench {

std::string RowName::text() const {
    std::string text = fmt::format("{}/{}/{}/{}", kernel, name(variant.formulation), variant.device,
                                   variant.transport);
    for (const std::string& word : words) {
        text += "/" + word;
    }
    text += fmt::format("/{}:{}", size_key, size);
    for (const auto& [key, value] : factors) {
        text += fmt::format("/{}:{}", key, value);
    }
    text += fmt::format("/ranks:{}/threads:{}", ranks, threads);
    return suffix.empty() ? text : text + "/" + suffix;
}

RowName RowName::with_suffix(std::string text) const {
    RowName other = *this;
    other.suffix = std::move(text);
    return other;
}

std::string_view name(RateUnit unit) {
    return unit == RateUnit::gflops ? "GFLOP/s" : "MiB/s";
}

double Work::rate(Seconds time) const {
    if (time.value <= 0) {
        return 0;
    }
    return unit == RateUnit::gflops ? flops.value / time.value / 1e9
                                    : static_cast<double>(bytes.value) /
                                          static_cast<double>(mebibytes(1).value) / time.value;
}

std::vector<double> times(const std::vector<Run>& runs) {
    std::vector<double> times;
    std::ranges::transform(runs, std::back_inserter(times),
                           [](const Run& run) { return run.real.value; });
    return times;
}

std::optional<double> Row::fraction_of_limit() const {
    if (!limit || runs.empty()) {
        return std::nullopt;
    }
    return limit->seconds.value / median(times());
}

}  // namespace quartet::bench
