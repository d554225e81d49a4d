#pragma once

#include "bench/session/arena.hpp"
#include "comm/transport/transport.hpp"
#include "device/device.hpp"
#include "flow/queue.hpp"

namespace quartet::stream {

/// The push through a bounded queue that the receiver owns: what the paper's data flow costs beside
/// a direct push. Each push is an item; the receiver dequeues one, adds it to its vector, each
/// piece while the next one comes, and dequeues the next. Vectors in a GPU's memory are copied out
/// into each payload, and copied in from it, whole.
class DataflowPush final : public comm::Push {
  public:
    /// A payload on the GPU, beside what the queue allocates. Local.
    static device::Buffer<float> received(bench::Arena& arena, const device::Device& device,
                                          bool receives, std::int64_t elements);
    static flow::QueuePlan queue_plan(const std::vector<int>& senders, int receiver, Bytes size,
                                      int bound, const device::Device& device);

    /// Borrows all. On the host the source's values are copied now. Collective over all ranks.
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
    device::Buffer<float> received_;
};

}  // namespace quartet::stream
