#pragma once

#include <memory>
#include <vector>

#include "flow/queue.hpp"

namespace quartet::flow {

/// One rank's broadcast to others, each through a queue of the receiver's own: how the paper's
/// reducers give their results back to the workers (VI.C).
class Publication {
  public:
    /// What its queues allocate on `rank`. Local.
    static comm::PayloadMemory memory(int from, const std::vector<int>& to, Bytes largest,
                                      const comm::OperationMemory& transport, int rank);

    /// `to` ascending, without `from`. Collective over the transport's ranks, as is destroying it.
    /// Hub and transport outlive it.
    Publication(Hub& hub, comm::Transport& transport, int from, const std::vector<int>& to,
                Bytes largest);

    /// On `from`: sends a copy to each receiver. Waits until they have released the one before.
    void publish(device::View<const std::byte> payload);
    /// On a receiver: waits for the next one. It stays readable until the next call or release().
    device::View<const std::byte> receive();
    /// On a receiver: lets the sender reuse the payload's memory.
    void release();
    /// On `from`: waits until all receivers have released what was published.
    void flush();

  private:
    std::vector<std::unique_ptr<Queue>> queues_;  ///< one a receiver
    Queue* mine_ = nullptr;
};

}  // namespace quartet::flow
