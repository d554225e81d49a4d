#pragma once

#include <memory>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/nccl/nccl_library.hpp"
#include "comm/transport/support/message_collectives.hpp"
#include "device/accelerator.hpp"

namespace quartet::comm {

/// NCCL's communicator of the same ranks, each with its current GPU. Its operations are kernels on
/// a stream of the GPU: enqueued, not waited for.
class NcclCommunicator final : public Messages {
  public:
    /// Collective. Throws Failure, on all ranks, with NCCL's words. The GPU outlives it.
    NcclCommunicator(std::shared_ptr<const NcclLibrary> library, const Communicator& comm,
                     device::Accelerator& gpu);
    /// Collective, except while an exception unwinds: then what is under way is given up.
    ~NcclCommunicator() override;
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;

    [[nodiscard]] const NcclLibrary& library() const { return *library_; }

    /// All messages in one group, so that NCCL moves them at the same time.
    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                  device::Stream& stream) override;

    /// Gathers equally many bytes from each rank. `mine` may be its own part of `all`.
    void all_gather(device::View<const std::byte> mine, device::View<std::byte> all,
                    device::Stream& stream);

  private:
    void send_and_receive(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                          cudaStream_t stream) const;

    std::shared_ptr<const NcclLibrary> library_;
    device::Accelerator& gpu_;
    ncclComm_t handle_ = nullptr;
    int exceptions_;
};

}  // namespace quartet::comm
