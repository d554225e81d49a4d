#include "comm/transport/staged/links.hpp"

#include <atomic>
#include <climits>
#include <exception>
#include <new>

#include "comm/mpi/mpi_session.hpp"
#include "core/check.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

constexpr int chunk_tag = 32767;  // not a lane

class MpiLink final : public StagedLink {
  public:
    MpiLink(int peer, int depth, const Communicator& comm, device::Device& device)
        : peer_(peer),
          comm_(comm),
          device_(device),
          outgoing_(static_cast<std::size_t>(depth)),
          incoming_(static_cast<std::size_t>(depth)),
          exceptions_(std::uncaught_exceptions()) {}
    // Everything sent has been received by now, or the peer fails as this rank does.
    ~MpiLink() override {
        for (Slot& slot : outgoing_) {
            if (std::uncaught_exceptions() <= exceptions_) {
                MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
            }
        }
    }
    MpiLink(const MpiLink&) = delete;
    MpiLink& operator=(const MpiLink&) = delete;

    [[nodiscard]] int depth() const override { return static_cast<int>(outgoing_.size()); }
    void reserve(Bytes size) override {
        check(size.value <= INT_MAX, "a chunk is larger than MPI counts");
        for (auto* slots : {&outgoing_, &incoming_}) {
            for (Slot& slot : *slots) {
                if (slot.memory.view().bytes() < size) {
                    check_mpi(MPI_Wait(&slot.request, MPI_STATUS_IGNORE));
                    slot.memory = device::allocate<std::byte>(device_, size.value,
                                                              device::MemoryKind::pinned);
                }
            }
        }
    }

    [[nodiscard]] bool is_free(std::int64_t chunk) override { return done(slot(outgoing_, chunk)); }
    [[nodiscard]] device::View<std::byte> outgoing(std::int64_t chunk, Bytes size) override {
        return slot(outgoing_, chunk).memory.view().part(0, size.value);
    }
    void post(std::int64_t chunk, Bytes size) override {
        Slot& filled = slot(outgoing_, chunk);
        check_mpi(MPI_Isend(filled.memory.view().data(), static_cast<int>(size.value), MPI_BYTE,
                            peer_, chunk_tag, comm_.handle(), &filled.request));
    }

    void expect(std::int64_t chunk, Bytes size) override {
        Slot& empty = slot(incoming_, chunk);
        check_mpi(MPI_Irecv(empty.memory.view().data(), static_cast<int>(size.value), MPI_BYTE,
                            peer_, chunk_tag, comm_.handle(), &empty.request));
    }
    [[nodiscard]] bool arrived(std::int64_t chunk) override { return done(slot(incoming_, chunk)); }
    [[nodiscard]] device::View<const std::byte> incoming(std::int64_t chunk, Bytes size) override {
        return slot(incoming_, chunk).memory.view().part(0, size.value);
    }
    void release(std::int64_t /*chunk*/) override {}

  private:
    struct Slot {
        device::Buffer<std::byte> memory;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    static Slot& slot(std::vector<Slot>& slots, std::int64_t chunk) {
        return slots[static_cast<std::size_t>(chunk) % slots.size()];
    }
    static bool done(Slot& slot) {
        int flag = 0;
        check_mpi(MPI_Test(&slot.request, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    }

    int peer_;
    const Communicator& comm_;
    device::Device& device_;
    std::vector<Slot> outgoing_;
    std::vector<Slot> incoming_;
    int exceptions_;
};

/// How many chunks of one direction have been posted, and how many taken. Each is alone on its
/// cache line: the sender writes one, the receiver the other.
struct RingFlags {
    alignas(system::line_spacing) std::atomic<std::int64_t> posted;
    alignas(system::line_spacing) std::atomic<std::int64_t> taken;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free &&
              sizeof(RingFlags) <= system::page_spacing);

std::int64_t slot_bytes(Bytes chunk) {
    return system::whole_pages(chunk.value, system::page_spacing);
}

/// Which of a rank's rings leads to `to`.
std::int64_t ring_index(int from, int to) {
    return to < from ? to : to - 1;
}

/// One direction, in the sender's memory.
class Ring {
  public:
    Ring(std::byte* begin, Bytes chunk) : begin_(begin), chunk_(chunk) {}

    [[nodiscard]] RingFlags& flags() const { return *reinterpret_cast<RingFlags*>(begin_); }
    [[nodiscard]] device::View<std::byte> slot(std::int64_t number, Bytes size) const {
        check(size <= chunk_, "a chunk is larger than the link's");
        return {begin_ + system::page_spacing + number % pipeline_depth * slot_bytes(chunk_),
                size.value, device::MemoryKind::pinned};
    }

  private:
    std::byte* begin_;
    Bytes chunk_;
};

class SharedLink final : public StagedLink {
  public:
    SharedLink(Ring out, Ring in, Bytes chunk) : out_(out), in_(in), chunk_(chunk) {}

    [[nodiscard]] int depth() const override { return pipeline_depth; }
    void reserve(Bytes size) override {
        check(size <= chunk_, "a chunk is larger than the link's");
    }

    // Acquires: the place is filled only after the peer has read it.
    [[nodiscard]] bool is_free(std::int64_t chunk) override {
        return out_.flags().taken.load(std::memory_order_acquire) > chunk - pipeline_depth;
    }
    [[nodiscard]] device::View<std::byte> outgoing(std::int64_t chunk, Bytes size) override {
        return out_.slot(chunk, size);
    }
    // Releases the filled chunk; arrived() acquires it before it is read.
    void post(std::int64_t chunk, Bytes /*size*/) override {
        out_.flags().posted.store(chunk + 1, std::memory_order_release);
    }

    void expect(std::int64_t /*chunk*/, Bytes /*size*/) override {}
    [[nodiscard]] bool arrived(std::int64_t chunk) override {
        return in_.flags().posted.load(std::memory_order_acquire) > chunk;
    }
    [[nodiscard]] device::View<const std::byte> incoming(std::int64_t chunk, Bytes size) override {
        return in_.slot(chunk, size);
    }
    void release(std::int64_t chunk) override {
        in_.flags().taken.store(chunk + 1, std::memory_order_release);
    }

  private:
    Ring out_;
    Ring in_;
    Bytes chunk_;
};

}  // namespace

std::unique_ptr<StagedLink> make_mpi_link(int peer, int depth, const Communicator& comm,
                                          device::Device& device) {
    return std::make_unique<MpiLink>(peer, depth, comm, device);
}

std::unique_ptr<StagedLink> make_shared_link(std::byte* out, std::byte* in, Bytes chunk) {
    return std::make_unique<SharedLink>(Ring(out, chunk), Ring(in, chunk), chunk);
}

Bytes shared_ring_memory(Bytes chunk) {
    return {system::page_spacing + pipeline_depth * slot_bytes(chunk)};
}

device::Allocation make_shared_links(SharedMemory& memory, const Topology& topology, Bytes chunk,
                                     std::span<std::unique_ptr<StagedLink>> links) {
    const Communicator& node = topology.node();
    const std::int64_t ring = shared_ring_memory(chunk).value;
    device::Allocation made = memory.allocate({(node.size() - 1) * ring});
    for (int number = 0; number < node.size() - 1; ++number) {
        ::new (static_cast<void*>(made.data.get() + number * ring)) RingFlags{};
    }
    node.barrier();
    const auto parts = memory.parts(made.data.get());
    const int me = node.rank();
    for (std::size_t rank = 0; rank < links.size(); ++rank) {
        const Placement& there = topology.of(static_cast<int>(rank));
        const int peer = there.local_rank;
        if (there.node == topology.mine().node && peer != me) {
            links[rank] = make_shared_link(
                made.data.get() + ring_index(me, peer) * ring,
                parts[static_cast<std::size_t>(peer)].data() + ring_index(peer, me) * ring, chunk);
        }
    }
    return made;
}

}  // namespace quartet::comm
