#pragma once

#include <memory>

#include "cg/problem/loop.hpp"

namespace quartet::cg {

/// The loop of a formulation, with a matrix of zeros. Borrows the transport and what the context
/// borrows. Collective. Throws Unavailable if the transport lacks a capability.
std::unique_ptr<CgLoop> make_loop(const RankContext& context, comm::Transport& transport,
                                  const Problem& problem, bench::Formulation formulation);

/// Counts the memory of such a loop and of its limit on this rank. Local.
void count_loop(bench::Arena& arena, const RankContext& context,
                const comm::OperationMemory& transport, const Problem& problem,
                bench::Formulation formulation);

}  // namespace quartet::cg
