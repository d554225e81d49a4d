#pragma once

#include <memory>

#include "bench/session/arena.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// Throws Unavailable if the transport lacks what the formulation needs. Local.
void require_usable(bench::Formulation formulation, const comm::Transport& transport);

/// The push of a formulation: `native` is the transport's own, as fast as it can; `dataflow` goes
/// through a queue; `library` is plain MPI. Borrows session and transport. Collective.
std::unique_ptr<comm::Push> make_push(bench::Formulation formulation, const comm::PushPlan& plan,
                                      bench::Session& session, comm::Transport& transport,
                                      Bytes size);

/// Counts what the push allocates on this rank beside the vectors. Local.
void count_push(bench::Arena& arena, bench::Session& session, const bench::Variant& variant,
                const Problem& problem);

}  // namespace quartet::stream
