#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// Predicts how long the runs of a job take: the sum of the cases' expected times, scaled by how
/// long the finished runs have taken compared with theirs. Local.
class Forecast {
  public:
    /// The times expected of one case. The first run includes warm-ups; each includes its probe.
    struct Expected {
        Seconds first_run;
        Seconds later_run;
        int runs = 1;
        int begun = 0;
    };

    explicit Forecast(std::vector<Expected> cases);

    /// A run of this case begins, `elapsed` after the job began; the previous run has ended.
    void begin_run(std::size_t index, Seconds elapsed);
    /// The time until all runs have ended; negative if they take longer than expected.
    [[nodiscard]] Seconds left(Seconds elapsed) const { return end_ - elapsed; }

  private:
    [[nodiscard]] Seconds expected_end(Seconds elapsed) const;

    std::vector<Expected> cases_;
    Seconds made_;     ///< expected time of the runs that have ended
    Seconds running_;  ///< expected time of the run that has begun
    Seconds end_;
};

/// Forecasts by the memory traffic and the operations of the session's cases, at rates that each
/// rank measures for a moment, and by the time of probes; accurate to about a factor of two.
/// Collective.
Forecast forecast(Session& session);

/// Writes on the root's standard error how long the job will take, if that is long; each case when
/// its first run begins; and every few seconds how far the job is. A batch job, whose log is read
/// later, gets one line a minute.
class ProgressLine {
  public:
    /// In a batch job, lines are `in_jobs` apart. Collective.
    explicit ProgressLine(Session& session, Seconds in_jobs = {60});
    /// `total` is 0 while it is unknown. Local.
    void begin_run(std::size_t index, int done, int total);

  private:
    /// How the line is shown.
    struct Style {
        Seconds patience;     ///< time from one line to the next
        bool says_each_case;  ///< whether each new case gets a line at once
    };
    static std::optional<Style> style_of(const Session& session, Seconds in_jobs);
    void say_again(const std::stop_token& stop);
    void say();  ///< with the lock held

    const Session& session_;
    std::optional<Style> style_;
    std::optional<Forecast> forecast_;
    std::vector<bool> begun_;  ///< by case
    Seconds begin_;

    std::mutex lock_;
    std::condition_variable_any stopped_;
    std::string text_;
    Seconds last_;
    std::jthread repeater_;  ///< writes the text again while one run takes long
};

}  // namespace quartet::bench
