#pragma once

#include <array>
#include <vector>

#include "bench/session/arena.hpp"
#include "comm/topology/roles.hpp"
#include "flow/publication.hpp"
#include "flow/queue.hpp"

namespace quartet::cg {

/// The paper's reduction (VI.C, Fig. 5): workers push their values to a queue of the reducer. Each
/// waits for its copy of the result, which comes by another queue. A few scalars at a time.
class DataflowReduction {
  public:
    using Scalars = std::array<double, 3>;

    /// Counts what its queues allocate on `rank`. Local.
    static void count(bench::Arena& arena, const comm::OperationMemory& transport,
                      const comm::Roles& roles, int bound, int rank);

    /// Collective. Hub and transport outlive it.
    DataflowReduction(flow::Hub& hub, comm::Transport& transport, const comm::Roles& roles,
                      int bound);

    /// On a worker: hands in its scalars, and waits for the reducer's result.
    Scalars exchange(int worker, const Scalars& mine);
    /// On the reducer: waits for the scalars of all workers, and returns their sums in the workers'
    /// order.
    Scalars collect();
    /// On the reducer: sends the result to all workers.
    void publish(const Scalars& result);
    /// Waits for the words that what this rank has sent was taken.
    void flush();

  private:
    flow::Queue incoming_;
    flow::Publication outgoing_;
    std::vector<Scalars> collected_;  ///< by worker
};

}  // namespace quartet::cg
