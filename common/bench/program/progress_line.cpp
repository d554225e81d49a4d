#include "bench/program/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "core/environment.hpp"

namespace quartet::bench {

namespace {

void write_line(const std::string& line) {
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

// A rank has a pipe to its launcher, whose own terminal scripts/launch.sh and slurm/start.sh name.
bool is_on_a_terminal() {
    return isatty(STDERR_FILENO) == 1 || Environment().get("QUARTET_TERMINAL") == "1";
}

bool is_in_a_batch_job() {
    constexpr std::array jobs{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"};
    return std::ranges::any_of(jobs,
                               [](const char* job) { return Environment().get(job).has_value(); });
}

}  // namespace

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
    constexpr Seconds sayable{1};
    const Seconds elapsed = now() - begin_;
    const Seconds left = forecast_->left(elapsed);
    std::string time;
    if (left > sayable) {
        time = fmt::format(", {:.0f} s left", left.value);
    } else if (elapsed > sayable) {
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
