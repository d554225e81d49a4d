#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/measure.hpp"
#include "bench/report/document.hpp"
#include "bench/session/session.hpp"
#include "core/trace.hpp"

namespace quartet::bench {

/// The finished timeline; complete on the root, empty elsewhere.
struct TimelineDocument {
    std::string text;     ///< in Chrome's trace format
    std::string warning;  ///< says how many spans were dropped; empty if none
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

/// The files of --json and --trace, which the root writes. A full disk must not end the job: errors
/// are kept in problem(), and reported at the end.
class ResultFiles {
  public:
    /// `options`: every flag with its value. Begins the timeline. Collective. Borrows the session.
    ResultFiles(Session& session, std::vector<std::pair<std::string, std::string>> options);

    /// Writes the rows so far while measuring goes on, so that a later failure does not lose them.
    /// Takes at most a fiftieth of the time. Local.
    void update(const std::function<std::vector<Row>()>& rows_so_far);
    /// Writes the files at the end. Collective.
    void write(const Measured& measured);

    /// On the root: why a file could not be written; otherwise empty.
    [[nodiscard]] const std::string& problem() const { return problem_; }
    /// On the root: what the timeline lacks; otherwise empty.
    [[nodiscard]] const std::string& warning() const { return warning_; }

  private:
    void try_to_write(const std::function<void()>& write);
    void write_document(const Measured& measured, Completion completion) const;
    void write_trace();

    Session& session_;
    std::vector<std::pair<std::string, std::string>> options_;
    std::optional<Timeline> timeline_;
    Seconds last_write_;
    Seconds writing_;
    std::string problem_;
    std::string warning_;
};

}  // namespace quartet::bench
