#pragma once

#include "bench/session/session.hpp"
#include "cg/options.hpp"
#include "cg/problem.hpp"

namespace quartet::cg {

/// A case with its memory and its name, before anything is allocated. Throws UsageError.
/// Collective.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const bench::DataOptions& data,
                                const CheckpointOptions& checkpoint = {});

/// Adds a case for each variant of the session and storage. Throws UsageError.
/// Collective.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::cg
