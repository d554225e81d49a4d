#pragma once

#include <memory>
#include <vector>

#include "comm/transport/nccl/nccl_communicator.hpp"
#include "comm/transport/support/chunks.hpp"
#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// What it is made from; all of it outlives it.
struct NcclPushContext {
    const Communicator& comm;
    NcclCommunicator& nccl;
    device::Device& device;
    device::Stream& wire;  ///< of NCCL's transfers, so that additions run beside them
    Bytes largest_chunk;
};

/// Pushes in chunks: while the receiver adds one chunk of every sender, in the order of their
/// ranks, the next ones arrive beside the target.
class NcclPush final : public Push {
  public:
    /// Collective.
    NcclPush(const PushPlan& plan, const NcclPushContext& context);

    void run(int count, device::Stream& stream) override;

  private:
    struct Place {
        device::Buffer<std::byte> memory;  ///< a chunk of each sender
        std::unique_ptr<device::Event> arrived;
        std::unique_ptr<device::Event> added;
        std::vector<Messages::Incoming> messages;
    };

    void send_all(int count, device::Stream& stream);
    void receive_all(int count, device::Stream& stream);
    void receive(Place& place, std::int64_t chunk);
    void add(Place& place, std::int64_t chunk, device::Stream& stream);

    PushPlan plan_;
    NcclPushContext context_;
    bool receives_;
    Chunks chunks_;
    std::vector<Place> places_;
    std::unique_ptr<device::Event> ready_;  ///< reached when earlier work is done
};

}  // namespace quartet::comm
