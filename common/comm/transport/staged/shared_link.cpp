#include "comm/transport/staged/shared_link.hpp"

#include <atomic>
#include <new>

#include "core/check.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

/// How many chunks of one direction have been posted, and how many taken, each alone on its cache
/// line: one is written by the sender, the other by the receiver.
struct RingFlags {
    alignas(system::line_spacing) std::atomic<std::int64_t> posted;
    alignas(system::line_spacing) std::atomic<std::int64_t> taken;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free &&
              sizeof(RingFlags) <= system::page_spacing);

std::int64_t slot_bytes(Bytes chunk) {
    return system::whole_pages(chunk.value, system::page_spacing);
}
/// The sender's part of the window has a ring of this size for each other rank.
std::int64_t ring_bytes(Bytes chunk) {
    return system::page_spacing + pipeline_depth * slot_bytes(chunk);
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

    // Acquired: what fills the place comes after the peer has read it.
    [[nodiscard]] bool is_free(std::int64_t chunk) override {
        return out_.flags().taken.load(std::memory_order_acquire) > chunk - pipeline_depth;
    }
    [[nodiscard]] device::View<std::byte> outgoing(std::int64_t chunk, Bytes size) override {
        return out_.slot(chunk, size);
    }
    // Released after the chunk was filled, and acquired before it is read.
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

std::unique_ptr<StagedLink> make_shared_link(std::byte* out, std::byte* in, Bytes chunk) {
    return std::make_unique<SharedLink>(Ring(out, chunk), Ring(in, chunk), chunk);
}

Bytes shared_ring_memory(Bytes chunk) {
    return {ring_bytes(chunk)};
}

Bytes shared_links_memory(int ranks, Bytes chunk) {
    return {(ranks - 1) * ring_bytes(chunk)};
}

SharedLinks make_shared_links(WindowPool& windows, const Communicator& node, Bytes chunk) {
    const std::int64_t ring = ring_bytes(chunk);
    SharedLinks made{windows.allocate(shared_links_memory(node.size(), chunk)), {}};
    for (int index = 0; index < node.size() - 1; ++index) {
        ::new (static_cast<void*>(made.memory.data.get() + index * ring)) RingFlags{};
    }
    node.barrier();
    const Window& window = windows.newest();
    const int me = node.rank();
    made.links.resize(static_cast<std::size_t>(node.size()));
    for (int peer = 0; peer < node.size(); ++peer) {
        if (peer != me) {
            made.links[static_cast<std::size_t>(peer)] =
                make_shared_link(made.memory.data.get() + ring_index(me, peer) * ring,
                                 window.part_of(peer) + ring_index(peer, me) * ring, chunk);
        }
    }
    return made;
}

}  // namespace quartet::comm
