#pragma once

#include "bench/session/arena.hpp"
#include "comm/transport/transport.hpp"
#include "device/device.hpp"

namespace quartet::stream {

/// The push in plain MPI: a blocking send, a blocking receive into a second vector, then the
/// addition.
class LibraryPush final : public comm::Push {
  public:
    /// The second vector. Local.
    static device::Buffer<float> received(bench::Arena& arena, bool receives,
                                          std::int64_t elements) {
        return arena.make<float>(receives ? elements : 0);
    }

    /// `transport` can send and receive; `rank` is this rank. Borrows all. Local.
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
