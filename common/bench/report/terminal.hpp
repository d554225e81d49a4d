#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/measure.hpp"
#include "core/check.hpp"

namespace quartet::bench {

/// The rows of one program for people, a line each: the median run's rate with its 95% interval,
/// the rate at the limit, the fraction of it, and whether the result is right. A line above has the
/// factors that rows share, and `device`, the GPUs or the instruction set. At most 80 columns wide,
/// except for long names and errors.
std::string rows_text(std::span<const Row> rows, std::string_view device = {});

/// "1 rank", "2 ranks".
std::string counted(int count, std::string_view noun);

/// Four significant digits without an exponent: "38123", "1.234".
std::string format_rate(double rate);

/// The exit code of a job, the first that applies: 1 if a result is wrong; 3 if a case failed; 75
/// if it was stopped, even before its first run; 77 if a case was unavailable; 0. Most failures at
/// run time end the job before this, with 3.
ExitCode verdict(const Measured& measured);

/// What readers must know before they quote a rate: about the placement of the ranks, the GPUs, the
/// runs, and the flags of the rows.
std::vector<std::string> warnings(const Session& session, std::span<const Row> rows);

/// A line for each reason why a row has no result, and for each wrong result. Empty if there is
/// none.
std::string failures_of(std::span<const Row> rows, std::string_view program);

}  // namespace quartet::bench
