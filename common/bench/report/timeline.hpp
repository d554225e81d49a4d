#pragma once

#include <string>

#include "bench/program/session.hpp"

namespace quartet::bench {

/// What a timeline is in the end; on the root, empty elsewhere.
struct TimelineDocument {
    std::string text;     ///< in Chrome's trace format
    std::string warning;  ///< of spans that there was no room for; empty where all are there
};

/// The timeline of all ranks (the paper's Fig. 3), from its making to document(). All times are
/// rank 0's: the ranks' clocks are compared at both ends, and are taken to drift evenly between.
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

/// What a timeline calls this rank: "rank 3, node1, worker".
std::string process_name(const Session& session);

}  // namespace quartet::bench
