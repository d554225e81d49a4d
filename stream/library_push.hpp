#pragma once

#include "comm/transport/transport.hpp"
#include "device/device.hpp"

namespace quartet::stream {

/// The push as a user of plain MPI would write it first: a blocking send, a blocking receive into a
/// second vector, then the addition. The third column beside the paper's and ours.
class LibraryPush final : public comm::Push {
  public:
    /// `transport` can send and receive; `rank` is this rank. All are borrowed.
    LibraryPush(const comm::PushPlan& plan, comm::Transport& transport, device::Device& device,
                int rank);

    void run(int count, device::Stream& stream) override;

  private:
    comm::PushPlan plan_;
    comm::Transport& transport_;
    device::Device& device_;
    int rank_;
    device::Buffer<float> received_;
};

}  // namespace quartet::stream
