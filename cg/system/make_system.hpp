#pragma once

#include <memory>

#include "bench/program/session.hpp"
#include "cg/problem.hpp"
#include "cg/system/linear_system.hpp"

namespace quartet::cg {

/// The problem's system; a matrix file borrows the session's communicator. Collective. Throws
/// UsageError that names a file.
std::unique_ptr<LinearSystem> make_system(const Problem& problem, bench::Session& session);

/// What that takes of a rank's memory. Local.
Bytes system_memory(const Problem& problem, int ranks);

}  // namespace quartet::cg
