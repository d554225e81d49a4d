#pragma once

#include <cstddef>
#include <optional>
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

    /// With a budget, later runs are made only while it lasts.
    Forecast(const std::vector<Expected>& cases, std::optional<Seconds> budget);

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
    std::optional<Seconds> budget_;
    Seconds made_;     ///< what was expected of the runs that have ended
    Seconds running_;  ///< and of the one that has begun
    Seconds end_;
};

/// From the traffic and the products of the session's cases, at the rates of a quick look at one
/// rank, and from the probes of the limit: right within a factor of two or so. Collective.
Forecast forecast(Session& session);

}  // namespace quartet::bench
