#pragma once

#include <string>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// The finished timeline; complete on the root, empty elsewhere.
struct TimelineDocument {
    std::string text;     ///< in Chrome's trace format
    std::string warning;  ///< says how many spans found no room; empty if all did
};

/// The timeline of all ranks (the paper's Fig. 3), from its construction to document(). All times
/// are by rank 0's clock: the ranks' clocks are compared at both ends, and are assumed to drift
/// evenly in between.
class Timeline {
  public:
    /// Collective.
    explicit Timeline(Session& session);

    /// Collective.
    [[nodiscard]] TimelineDocument document() const;

  private:
    Session& session_;
    Seconds origin_;
    ClockReading first_;
};

/// The name of this rank in a timeline: "rank 3, node1, worker".
std::string process_name(const Session& session);

}  // namespace quartet::bench
