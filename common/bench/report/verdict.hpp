#pragma once

#include <span>
#include <string>

#include "bench/measure/measure.hpp"
#include "bench/report/row.hpp"
#include "core/check.hpp"

namespace quartet::bench {

/// The exit code of a job: 3 where a case failed, else 1 where a result is wrong, else 75 where it
/// was stopped and something is kept (complete runs or a checkpoint) and 3 where nothing is, else
/// 77 where a named member was unavailable, else 0. Most failures at run time end the job before
/// this is asked, with 3.
ExitCode verdict(const Measured& measured);

/// What the rows say, in a few lines for people: how many are verified, what fraction of the limit
/// each formulation has, how far native is ahead of the library, and what to do next. Rows that are
/// not to be trusted are in no range and in no ratio.
std::string summary_of(std::span<const Row> rows);

}  // namespace quartet::bench
