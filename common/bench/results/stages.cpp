#include "bench/results/stages.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>

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

std::string_view name(Stage stage) {
    constexpr std::array<std::string_view, stage_count> names{
        "launch", "mpi_start", "device_start", "plan",          "set_up",         "warm_up",
        "run",    "probe",     "verify",       "write_results", "write_document", "rest"};
    return names[static_cast<std::size_t>(stage)];
}

LaunchTime launch_time(Environment& environment) {
    if (const auto text = environment.get("QUARTET_LAUNCHED")) {
        if (const auto passed = since_launcher(*text)) {
            return {*passed, true};
        }
    }
    return {since_process(), false};
}

StageClock::StageClock(const LaunchTime& launch)
    : last_(now()), by_a_launcher_(launch.by_a_launcher) {
    seconds_[static_cast<std::size_t>(Stage::launch)] = launch.before;
}

void StageClock::end(Stage stage) {
    const Seconds time = now();
    Seconds& spent = seconds_[static_cast<std::size_t>(stage)];
    spent = spent + (time - last_);
    last_ = time;
}

Seconds StageClock::total() const {
    return std::accumulate(seconds_.begin(), seconds_.end(), Seconds{});
}

Seconds total(const WholeTask& task) {
    return std::accumulate(task.begin(), task.end(), Seconds{},
                           [](Seconds sum, const auto& part) { return sum + part.second; });
}

}  // namespace quartet::bench
