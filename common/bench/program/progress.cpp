#include "bench/program/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "bench/measure/probes.hpp"
#include "core/environment.hpp"

namespace quartet::bench {

namespace {

// Seconds per byte of memory traffic.
double traffic_cost(Session& session) {
    device::Arena arena(session.device(), device::Arena::Mode::allocate);
    MemoryProbe probe(arena, session.device(), AccessPattern::add, mebibytes(16));
    const int passes = probe.passes_for(probe_time, 1000, session.stream());
    return probe.measure(passes, session.stream()).value /
           static_cast<double>(probe.traffic().value);
}

// Seconds per operation of a matrix product.
double product_cost(Session& session) {
    device::Arena arena(session.device(), device::Arena::Mode::allocate);
    SgemmProbe probe(arena, 512);
    probe.measure(session.stream());  // the first one finds cold caches
    return probe.measure(session.stream()).value / probe.flops().value;
}

void write_line(const std::string& line) {
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

// A rank writes into a pipe to its launcher. mpirun is the parent of the ranks on its node: this
// looks at its standard error. Under scripts/launch.sh and slurm/start.sh, QUARTET_TERMINAL tells.
bool is_on_a_terminal() {
    std::error_code failed;
    const auto launchers =
        std::filesystem::read_symlink(fmt::format("/proc/{}/fd/2", getppid()), failed);
    return isatty(STDERR_FILENO) == 1 || launchers.string().starts_with("/dev/pts/") ||
           Environment().get("QUARTET_TERMINAL") == "1";
}

bool is_in_a_batch_job() {
    constexpr std::array jobs{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"};
    return std::ranges::any_of(jobs,
                               [](const char* job) { return Environment().get(job).has_value(); });
}

}  // namespace

Forecast::Forecast(std::vector<Expected> cases)
    : cases_(std::move(cases)), end_(expected_end(Seconds{})) {}

void Forecast::begin_run(std::size_t index, Seconds elapsed) {
    Expected& expected = cases_[index];
    made_ = made_ + running_;
    running_ = expected.begun == 0 ? expected.first_run : expected.later_run;
    ++expected.begun;
    end_ = expected_end(elapsed);
}

Seconds Forecast::expected_end(Seconds elapsed) const {
    Seconds first = running_;
    Seconds later;
    for (const auto& [first_run, later_run, runs, begun] : cases_) {
        first = first + (begun == 0 ? first_run : Seconds{});
        later = later + std::max(0, runs - std::max(begun, 1)) * later_run;
    }
    const double pace = made_ > Seconds{} ? elapsed / made_ : 1;
    return elapsed + pace * (first + later);
}

Forecast forecast(Session& session) {
    constexpr int automatic_runs = 20;
    const CommonOptions& options = session.options();
    const double byte = traffic_cost(session);
    const double product = product_cost(session);
    const auto of_slowest = [&](Seconds time) {
        return Seconds{session.world().maximum(time.value)};
    };
    std::vector<Forecast::Expected> cases;
    for (const PlannedCase& planned : session.plan()) {
        const Runs runs = runs_of(planned, options.runs);
        const Seconds run{static_cast<double>(planned.traffic.value) * byte +
                          planned.work.flops.value / planned.work.workers * product};
        const bool is_warmed_again =
            options.limits == Switch::on && runs.warmup > 0 && run < probe_time;
        const Seconds probe = options.limits == Switch::on ? probe_time_beside(run) : Seconds{};
        const Seconds later = run + probe + (is_warmed_again ? run : Seconds{});
        cases.push_back({.first_run = of_slowest(later + probe + runs.warmup * run),
                         .later_run = of_slowest(later),
                         .runs = runs.count.value_or(automatic_runs)});
    }
    return Forecast(std::move(cases));
}

std::optional<ProgressLine::Style> ProgressLine::style_of(const Session& session, Seconds in_jobs) {
    const Progress wanted = session.options().progress;
    if (!session.is_root() || wanted == Progress::off) {
        return std::nullopt;
    }
    if (wanted == Progress::on || is_on_a_terminal()) {
        return Style{.patience = {5}, .says_each_case = true};
    }
    return is_in_a_batch_job() ? std::optional(Style{.patience = in_jobs, .says_each_case = false})
                               : std::nullopt;
}

ProgressLine::ProgressLine(Session& session, Seconds in_jobs)
    : session_(session), style_(style_of(session, in_jobs)), begun_(session.plan().size()) {
    if (!session.world().any(style_.has_value())) {
        return;
    }
    forecast_ = forecast(session);
    begin_ = last_ = now();
    if (!style_) {
        return;
    }
    constexpr Seconds long_time{20};
    if (const Seconds all = forecast_->left({}); all > long_time) {
        write_line(fmt::format("{}: about {:.0f} s of measuring\n", session.description().name,
                               all.value));
    }
    text_ = "making the first case's data";
    repeater_ = std::jthread([this](const std::stop_token& stop) { say_again(stop); });
}

void ProgressLine::begin_run(std::size_t index, int done, int total) {
    if (!style_) {
        return;
    }
    const std::scoped_lock hold(lock_);
    const bool is_first = !begun_[index];
    begun_[index] = true;
    forecast_->begin_run(index, now() - begin_);
    const std::string run = is_first    ? ""
                            : total > 0 ? fmt::format(": run {} of {}", done + 1, total)
                                        : fmt::format(": run {}", done + 1);
    text_ = fmt::format("[{}/{}] {}{}", index + 1, begun_.size(),
                        session_.plan()[index].name.text(), run);
    if ((is_first && style_->says_each_case) || now() - last_ > style_->patience) {
        say();
    }
}

void ProgressLine::say() {
    constexpr Seconds shortest{1};
    const Seconds elapsed = now() - begin_;
    const Seconds left = forecast_->left(elapsed);
    std::string time;
    if (left > shortest) {
        time = fmt::format(", {:.0f} s left", left.value);
    } else if (elapsed > shortest) {
        time = fmt::format(", {:.0f} s so far", elapsed.value);
    }
    write_line(text_ + time + "\n");
    last_ = now();
}

void ProgressLine::say_again(const std::stop_token& stop) {
    std::unique_lock hold(lock_);
    while (!stop.stop_requested()) {
        const Seconds wait = style_->patience - (now() - last_);
        if (wait > Seconds{}) {
            stopped_.wait_for(hold, stop, std::chrono::duration<double>(wait.value),
                              [] { return false; });
        } else {
            say();
        }
    }
}

}  // namespace quartet::bench
