#pragma once

#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "fft/problem/problem.hpp"

namespace quartet::fft {

/// A case with its memory and its name, before anything is allocated.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const Options& options);

/// Adds a case for each variant of the session. Throws UsageError.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::fft
