#pragma once

#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "comm/mpi/control_channel.hpp"
#include "core/trace.hpp"

namespace quartet::flow {

/// Hands the control messages of one data flow to the queues that they are for. A rank that waits
/// serves the hub meanwhile, so that it keeps answering the others. Handlers run only in such waits
/// and in serve().
class Hub {
  public:
    /// Handles a message: its sender and its payload.
    using Handler = std::function<void(int from, std::span<const std::byte> payload)>;

    /// Records its waits in `track`, if there is one, which outlives it. Collective over `comm`.
    explicit Hub(const comm::Communicator& comm, Track* track = nullptr);

    [[nodiscard]] const comm::Communicator& comm() const { return comm_; }

    /// Returns the number of a new kind of message, counted in the order of the calls: all ranks
    /// make the same calls. What the handler uses outlives the last message of its kind.
    int add(Handler handler);
    /// How many kinds there are. Local.
    [[nodiscard]] int kinds() const { return static_cast<int>(handlers_.size()); }

    /// Local; never blocks.
    void send(int to, int kind, std::span<const std::byte> payload);
    /// Handles one message, if one is there. Local.
    bool serve();
    /// Serves until `condition` holds. Local.
    template <typename Condition>
    void serve_until(Condition condition) {
        if (condition()) {
            return;
        }
        const Seconds begin = now();
        while (!condition()) {
            if (!serve()) {
                std::this_thread::yield();  // ranks that share a core progress
            }
        }
        note_wait(begin);
    }

  private:
    void note_wait(Seconds begin);

    const comm::Communicator& comm_;
    comm::ControlChannel channel_;
    std::vector<Handler> handlers_;  ///< by kind
    Track* track_;
};

}  // namespace quartet::flow
