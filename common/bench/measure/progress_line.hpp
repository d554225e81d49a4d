#pragma once

#include <cstddef>
#include <vector>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// Says on the root's standard error which case runs for the first time and, where rounds take
/// long, how far it is.
class ProgressLine {
  public:
    explicit ProgressLine(const Session& session);
    /// `total` is 0 while it is unknown.
    void begin_run(std::size_t index, int done, int total);

  private:
    const Session& session_;
    bool shown_;
    std::vector<bool> begun_;  ///< by case
    Seconds last_;
};

}  // namespace quartet::bench
