#pragma once

#include "bench/session/session.hpp"
#include "matmul/problem/options.hpp"

namespace quartet::matmul {

/// Adds a case for each variant of the session. Throws UsageError, on all ranks alike. Collective.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::matmul
