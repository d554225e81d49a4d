#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/measure.hpp"
#include "bench/results/row.hpp"
#include "core/check.hpp"

namespace quartet::bench {

class Session;

/// Whether a case has complete runs.
bool has_runs(const std::vector<Row>& rows);

/// The exit code of a job, the first that applies: 3 if a case failed; 1 if a result is wrong; if
/// it was stopped, 75 if something is kept (complete runs or a checkpoint), else 3; 77 if a named
/// member was unavailable; 0. Most failures at run time end the job before, with 3.
ExitCode verdict(const Measured& measured);

/// What readers must know before they quote a rate: about the places of the ranks, the GPUs, the
/// runs and the flags of the rows.
std::vector<std::string> warnings(const Session& session, std::span<const Row> rows);

/// A line for each reason why a row has no result, and for each wrong result. Empty if there is
/// none.
std::string failures_of(std::span<const Row> rows, std::string_view program);

}  // namespace quartet::bench
