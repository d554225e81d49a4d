#pragma once

#include "comm/transport.hpp"
#include "device/device.hpp"
#include "flow/queue.hpp"

namespace quartet::stream {

/// The push through a bounded queue that the receiver owns: what the paper's data flow costs beside
/// a direct push. Each push is an item; the receiver takes one out, adds it to its vector, and
/// takes the next.
class FlowPush final : public comm::Push {
  public:
    /// Collective over all ranks. All are borrowed; the source's values are taken now.
    FlowPush(const comm::PushPlan& plan, comm::Transport& transport, device::Device& device,
             const comm::Communicator& world, Bytes size, int bound);

    void run(int count, device::Stream& stream) override;

  private:
    comm::PushPlan plan_;
    device::Device& device_;
    int rank_;
    Bytes size_;
    flow::Hub hub_;
    flow::Queue queue_;
};

}  // namespace quartet::stream
