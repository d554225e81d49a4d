#pragma once

#include "comm/transport/transport.hpp"
#include "device/device.hpp"
#include "flow/queue.hpp"

namespace quartet::stream {

/// The push through a bounded queue that the receiver owns: what the paper's data flow costs beside
/// a direct push. Each push is an item; the receiver takes one out, adds it to its vector, and
/// takes the next. Vectors of a GPU's memory are copied out into each payload, and in beside the
/// target.
class DataflowPush final : public comm::Push {
  public:
    /// Collective over all ranks. All are borrowed; on the host the source's values are taken now.
    DataflowPush(const comm::PushPlan& plan, comm::Transport& transport, device::Device& device,
                 const comm::Communicator& world, Bytes size, int bound);

    void run(int count, device::Stream& stream) override;

  private:
    void post_from_host();
    void receive(const flow::Item& item, device::Stream& stream);
    void send(std::int64_t push, device::Stream& stream);

    comm::PushPlan plan_;
    device::Device& device_;
    int rank_;
    Bytes size_;
    flow::Hub hub_;
    flow::Queue queue_;
    bool on_gpu_;
    device::Buffer<float> received_;  ///< a payload that has been copied to the GPU
};

}  // namespace quartet::stream
