#pragma once

#include "bench/session/session.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// A case with its memory and its name, before anything is allocated. Local.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem);

/// Adds a case for each variant of the session and each problem of the options. Collective. Throws
/// UsageError.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::stream
