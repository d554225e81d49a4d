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

/// How long the runs of a job take: what is expected of each case, scaled by how long finished runs
/// really took. Local.
class Forecast {
  public:
    /// What is expected of one case. The first run includes warm-ups; each run includes its probe.
    struct Expected {
        Seconds first_run;
        Seconds later_run;
        int runs = 1;
    };

    explicit Forecast(const std::vector<Expected>& cases);

    /// A run of this case begins, `elapsed` after the job began; the one before has ended.
    void begin_run(std::size_t index, Seconds elapsed);
    /// Until all runs are made; negative where they take longer than expected.
    [[nodiscard]] Seconds left(Seconds elapsed) const { return end_ - elapsed; }

  private:
    struct Progress {
        Expected expected;
        int begun = 0;
    };
    [[nodiscard]] Seconds expected_end(Seconds elapsed) const;

    std::vector<Progress> cases_;
    Seconds made_;     ///< what was expected of the runs that have ended
    Seconds running_;  ///< and of the one that has begun
    Seconds end_;
};

/// From the traffic and the products of the session's cases, at the rates of a quick look at one
/// rank, and from the probes of the limit: right within a factor of two or so. Collective.
Forecast forecast(Session& session);

/// Says on the root's standard error how long the job will take, if that is long, which case runs
/// for the first time, and every few seconds how far it is. A batch job, whose log is read later,
/// gets a line a minute.
class ProgressLine {
  public:
    /// Collective. In a batch job a line stands again after `in_jobs`.
    explicit ProgressLine(Session& session, Seconds in_jobs = {60});
    /// `total` is 0 while it is unknown. Local.
    void begin_run(std::size_t index, int done, int total);

  private:
    /// How the line is shown.
    struct Style {
        Seconds patience;     ///< until a line stands again
        bool says_each_case;  ///< at once
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
    std::jthread repeater_;  ///< says the text again while one run takes long
};

}  // namespace quartet::bench
