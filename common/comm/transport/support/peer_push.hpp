#pragma once

#include <cstdint>
#include <vector>

#include "comm/transport/transport.hpp"
#include "comm/windows/window_pool.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

struct PushFlags;

/// The receiver reads each sender's vector where it lies and adds it in the same pass: no copy.
/// Each push is posted by its sender; the receiver enqueues it when it finds it posted, and
/// acknowledges all of a run when the last has been added.
class PeerPush final : public Push {
  public:
    /// Sources are of `memory`; `flags` are windows of the host. Collective.
    PeerPush(const PushPlan& plan, const PeerMemory& memory, WindowPool& flags,
             const Communicator& comm, device::Device& device, Track& track);

    void run(int count, device::Stream& stream) override;

  private:
    void send_all(int count);
    void receive_all(int count, device::Stream& stream);

    PushPlan plan_;
    const Communicator& comm_;
    device::Device& device_;
    Track& track_;
    device::Allocation flag_memory_;
    std::vector<PushFlags*> flags_;                   ///< by sender
    std::vector<device::View<const float>> sources_;  ///< by sender, as the receiver sees them
    std::int64_t done_ = 0;                           ///< pushes of earlier runs
};

}  // namespace quartet::comm
