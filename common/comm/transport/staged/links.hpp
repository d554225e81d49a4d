#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "comm/topology/topology.hpp"
#include "comm/transport/shared_memory.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// The wire between this rank and one peer, both ways: a ring of page-locked chunks in each
/// direction, numbered from 0 on as long as the link lives. While one chunk is copied out of the
/// GPU, another is on the wire and a third is copied into the peer's GPU. All members are local;
/// none waits.
class StagedLink {
  public:
    virtual ~StagedLink() = default;

    /// Chunks under way in one direction.
    [[nodiscard]] virtual int depth() const = 0;
    /// Makes room for chunks of `size`; call it while none is under way.
    virtual void reserve(Bytes size) = 0;

    /// Reserves the next `count` chunks for the caller, and returns the first one's number.
    std::int64_t claim_outgoing(std::int64_t count) {
        return std::exchange(outgoing_, outgoing_ + count);
    }
    std::int64_t claim_incoming(std::int64_t count) {
        return std::exchange(incoming_, incoming_ + count);
    }

    /// Whether the place of an outgoing chunk may be filled again.
    [[nodiscard]] virtual bool is_free(std::int64_t chunk) = 0;
    [[nodiscard]] virtual device::View<std::byte> outgoing(std::int64_t chunk, Bytes size) = 0;
    /// Sends a chunk that has been filled; in the order of their numbers.
    virtual void post(std::int64_t chunk, Bytes size) = 0;

    /// Says that a chunk of that size may arrive; in order, at most depth() before the oldest that
    /// was not released.
    virtual void expect(std::int64_t chunk, Bytes size) = 0;
    [[nodiscard]] virtual bool arrived(std::int64_t chunk) = 0;
    [[nodiscard]] virtual device::View<const std::byte> incoming(std::int64_t chunk,
                                                                 Bytes size) = 0;
    /// Says that a chunk has been read; in order.
    virtual void release(std::int64_t chunk) = 0;

  private:
    std::int64_t outgoing_ = 0;
    std::int64_t incoming_ = 0;
};

/// The stages of a transfer: copy out, wire, copy in.
inline constexpr int pipeline_depth = 3;

/// A link by MPI messages between page-locked buffers of the host, `depth` in each direction. With
/// a depth of 1 a chunk is copied out, sent and copied in one after another. Making and destroying
/// it is local, once nothing is under way.
std::unique_ptr<StagedLink> make_mpi_link(int peer, int depth, const Communicator& comm,
                                          device::Device& device);

/// Makes the links to the other ranks of this node, in `links` by rank of the world. Their wire is
/// page-locked shared memory: one GPU copies into it and the other copies out of it, without a copy
/// by the CPU. `chunk` is the largest chunk. Returns the links' memory, from `memory`, which is
/// page-locked and shared by the node; both outlive the links. Collective over the node.
device::Allocation make_shared_links(SharedMemory& memory, const Topology& topology, Bytes chunk,
                                     std::span<std::unique_ptr<StagedLink>> links);

/// One such link, over two rings that begin on pages and are zero at first. Local.
std::unique_ptr<StagedLink> make_shared_link(std::byte* out, std::byte* in, Bytes chunk);
/// The size of a ring. The sender's part of the shared memory has one for each other rank.
Bytes shared_ring_memory(Bytes chunk);

}  // namespace quartet::comm
