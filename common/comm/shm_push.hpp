#pragma once

#include <cstdint>
#include <vector>

#include "comm/transport.hpp"
#include "comm/window_pool.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

struct PushFlags;

/// The receiver reads each sender's vector where it lies and adds it in the same pass: no copy.
class ShmPush final : public Push {
  public:
    ShmPush(const PushPlan& plan, WindowPool& pool, const Communicator& comm,
            device::Device& device, Track& track);

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
