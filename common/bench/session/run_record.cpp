#include "bench/session/run_record.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace quartet::bench {

namespace {

constexpr Seconds most_credible{24 * 3600.0};  // beyond it the variable is an old one

double seconds_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::optional<double> number_of(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

std::optional<Seconds> since_launcher(std::string_view text) {
    const auto space = text.find(' ');
    if (space == std::string_view::npos || text.substr(0, space) != host_name()) {
        return std::nullopt;
    }
    const auto begun = number_of(text.substr(space + 1));
    const Seconds passed{seconds_of(CLOCK_BOOTTIME) - begun.value_or(0)};
    return begun && passed.value >= 0 && passed < most_credible ? std::optional(passed)
                                                                : std::nullopt;
}

// proc_pid_stat(5): the 22nd field, in clock ticks since the system's start; the 2nd is in brackets
// and may hold anything.
Seconds since_process() {
    std::ifstream file("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    constexpr int fields_between = 19;
    std::size_t at = text.rfind(')');
    for (int field = 0; field <= fields_between && at != std::string::npos; ++field) {
        at = text.find(' ', at + 1);
    }
    if (at == std::string::npos) {
        return {};
    }
    const auto end = text.find(' ', at + 1);
    const auto ticks = number_of(std::string_view(text).substr(at + 1, end - at - 1));
    const double begun = ticks.value_or(0) / static_cast<double>(sysconf(_SC_CLK_TCK));
    return {ticks ? std::max(0.0, seconds_of(CLOCK_BOOTTIME) - begun) : 0.0};
}

}  // namespace

RunRecord::RunRecord() : started(std::time(nullptr)), load_average(3) {
    load_average.resize(static_cast<std::size_t>(std::max(0, getloadavg(load_average.data(), 3))));
    for (const char* prefix : {"OMPI_MCA_", "PRTE_", "PMIX_MCA_", "MPICH_", "I_MPI_", "FI_", "UCX_",
                               "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "BLIS_", "MKL_", "SLURM_",
                               "CUDA_", "CUBLAS_", "NVIDIA_", "NCCL_", "QUARTET_"}) {
        environment.record_matching(prefix);
    }
}

Seconds since_launch(Environment& environment) {
    const auto text = environment.get("QUARTET_LAUNCHED");
    const auto passed = text ? since_launcher(*text) : std::nullopt;
    return passed ? *passed : since_process();
}

}  // namespace quartet::bench
