#pragma once

#include <memory>

#include "bench/data/data_options.hpp"
#include "bench/session/session.hpp"
#include "cg/problem/linear_system.hpp"
#include "cg/problem/problem.hpp"

namespace quartet::cg {

/// The problem's system; a matrix of files borrows the session's communicator, and is checked.
/// Collective. Throws UsageError that names a file.
std::unique_ptr<LinearSystem> make_system(const Problem& problem, bench::Session& session,
                                          const bench::DataOptions& data);

/// Memory of that system on a rank. Local.
Bytes system_memory(const Problem& problem, int ranks);

}  // namespace quartet::cg
