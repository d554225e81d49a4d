#pragma once

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

/// The exit code of a job: 3 where a case failed, else 1 where a result is wrong, else 75 where it
/// was stopped and something is kept (complete runs or a checkpoint) and 3 where nothing is, else
/// 77 where a named member was unavailable, else 0. Most failures at run time end the job before
/// this is asked, with 3.
ExitCode verdict(const Measured& measured);

/// What a reader must know before quoting a rate: about the ranks' places, the GPUs, the runs and
/// the rows' flags.
std::vector<std::string> warnings(const Session& session, std::span<const Row> rows);

/// A line for each reason why a row has no result, and for each wrong result. Empty where there is
/// none.
std::string failures_of(std::span<const Row> rows, std::string_view program);

}  // namespace quartet::bench
