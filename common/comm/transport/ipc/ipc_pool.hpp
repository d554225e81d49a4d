#pragma once

#include <list>

#include "comm/mpi/communicator.hpp"
#include "comm/windows/peer_memory.hpp"
#include "device/accelerator.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// Memory of GPUs that every rank of the node has mapped: each allocation's handle is exchanged
/// when it is made. Two ranks on one GPU map one another's memory as those on two GPUs do.
class IpcPool final : public PeerMemory {
  public:
    /// Both outlive the pool, and the pool what it allocates. The device is an accelerator.
    IpcPool(const Communicator& comm, device::Device& device)
        : comm_(comm), device_(device), accelerator_(*device.accelerator()) {}

    /// Zeroed memory of the device. Collective; throws Failure, on all ranks, where memory cannot
    /// be had or mapped. Releasing it is collective, too, except while an exception unwinds: then
    /// it is left to the job's end, since others may still read it.
    device::Allocation allocate(Bytes size);

    [[nodiscard]] std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) const override;

    /// Nothing to do: the stores of a kernel are visible once its stream has been synchronised.
    void synchronise_memory() const override {}

  private:
    struct Entry {
        std::int64_t id = 0;
        device::Allocation mine;
        std::vector<device::Allocation> theirs;  ///< by rank; nothing at this rank's own place
    };
    /// An entry and a place in it, as all ranks understand it.
    struct Address {
        std::int64_t entry = 0;
        std::int64_t offset = 0;
    };

    void map_peers(Entry& entry);
    void release(std::list<Entry>::iterator entry, int exceptions);
    [[nodiscard]] Address address_of(device::View<const std::byte> mine) const;
    [[nodiscard]] const std::byte* begin_of(std::int64_t id, int rank) const;

    const Communicator& comm_;
    device::Device& device_;
    device::Accelerator& accelerator_;
    std::list<Entry> entries_;
    std::int64_t next_ = 0;
};

}  // namespace quartet::comm
