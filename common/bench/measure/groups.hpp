#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// Indices into the session's plan.
using Group = std::vector<std::size_t>;

/// The cases whose runs are interleaved: as many as have their data in memory together, in the
/// order given. A group takes at most half of what a node has free of memory and of shared memory,
/// what --memory allows, and what the GPUs have free. Cases with why_alone() are groups of their
/// own. The same answer on all ranks. Collective.
std::vector<Group> groups_of(const Session& session, std::span<const std::size_t> cases);

}  // namespace quartet::bench
