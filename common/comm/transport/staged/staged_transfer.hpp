#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/operations_internal.hpp"
#include "comm/transport/staged/links.hpp"
#include "core/trace.hpp"
#include "device/arena.hpp"

namespace quartet::comm {

/// How large chunks are, in multiples of 8 bytes. Small ones cost more events and messages; large
/// ones take long for the first copy out and the last copy in, beside which nothing else is copied.
struct ChunkSizes {
    Bytes least;
    Bytes largest;
};
/// Cuts a message into four chunks, as far as the sizes allow.
Cut chunks_of(std::int64_t message, const ChunkSizes& sizes);

/// What staged operations are made from; all of it outlives them.
struct StagedContext {
    const Communicator& comm;
    device::Device& device;
    Track& track;
    std::span<const std::unique_ptr<StagedLink>> links;  ///< by rank; null for this one
    device::Stream& out;                                 ///< of copies from the GPU
    device::Stream& in;                                  ///< of copies to it
    device::Event& ready;                                ///< reached when earlier work is done
    ChunkSizes chunk_sizes;

    [[nodiscard]] StagedLink& link(int peer) const {
        return *links[static_cast<std::size_t>(peer)];
    }
};

/// Memory of the GPU on its way to a peer: chunks are copied out as the link has room, and posted
/// when their copies have been made. Prepared once, run many times.
class StagedSend {
  public:
    StagedSend(device::View<const std::byte> source, int peer, const StagedContext& context);

    /// Begins to send the source, `times` times over.
    void begin(int times = 1);
    /// Goes on as far as it can without waiting.
    void advance();
    /// Whether all chunks have been posted: the source may change.
    [[nodiscard]] bool done() const { return posted_ == count_; }

  private:
    [[nodiscard]] device::Event& copied(std::int64_t chunk) {
        return *copied_[static_cast<std::size_t>(chunk) % copied_.size()];
    }

    device::View<const std::byte> source_;
    StagedLink& link_;
    StagedContext context_;
    Cut chunks_;
    std::vector<std::unique_ptr<device::Event>> copied_;  ///< of the link's places
    std::int64_t number_ = 0;                             ///< of the first chunk, on the link
    std::int64_t count_ = 0;
    std::int64_t filled_ = 0;
    std::int64_t posted_ = 0;
};

/// A transfer from a peer: chunks are copied in one after another as they are taken, to where they
/// belong or, to be added, to staging memory of the GPU.
class StagedReceive {
  public:
    /// With an arena, which gives the staging memory, only the length of `target` counts.
    StagedReceive(device::View<std::byte> target, int peer, device::Arena* staging,
                  const StagedContext& context);

    void begin(int times = 1);
    /// Keeps the link supplied with places: releases those that have been copied in.
    void advance();
    /// Copies in the next chunk, if it is there. Where it lands in staging memory, `user` waits for
    /// the copy, and landed() is the chunk, which is to be used up by `user` before used() is
    /// called.
    bool take(device::Stream& user);
    [[nodiscard]] device::View<const std::byte> landed() const { return landed_; }
    void used(device::Stream& user);
    /// The place in the target of the chunk that was taken last.
    [[nodiscard]] std::int64_t first() const { return chunks_.first(taken_ - 1); }
    [[nodiscard]] bool all_taken() const { return taken_ == count_; }
    [[nodiscard]] bool done() const { return released_ == count_; }

  private:
    struct Place {
        std::unique_ptr<device::Event> copied;
        std::unique_ptr<device::Event> used;
    };
    [[nodiscard]] Place& place(std::int64_t chunk) {
        return places_[static_cast<std::size_t>(chunk) % places_.size()];
    }

    device::View<std::byte> target_;
    bool stages_;
    StagedLink& link_;
    StagedContext context_;
    Cut chunks_;
    std::vector<Place> places_;
    device::Buffer<std::byte> staging_;
    std::int64_t stride_ = 0;  ///< bytes from one staging place to the next
    device::View<const std::byte> landed_;
    std::int64_t number_ = 0;
    std::int64_t count_ = 0;
    std::int64_t expected_ = 0;
    std::int64_t taken_ = 0;
    std::int64_t released_ = 0;
};

/// All transfers of one operation, which go on together while any of them is waited for.
class StagedTransfers {
  public:
    explicit StagedTransfers(const StagedContext& context) : context_(context) {}

    /// Does nothing for an empty source.
    void add_send(device::View<const std::byte> source, int peer);
    StagedReceive& add_receive(device::View<std::byte> target, int peer,
                               device::Arena* staging = nullptr);

    /// Begins, after the work of `stream` so far.
    void begin(device::Stream& stream, int times = 1);
    /// Takes the next chunk of a receive into staging memory, waiting for it.
    void take(StagedReceive& receive, device::Stream& user);
    /// Completes everything: chunks that land where they belong are taken as they come.
    void finish(device::Stream& stream);

  private:
    void advance();
    template <typename Condition>
    void wait_until(Condition condition, Phase phase, const char* label);

    StagedContext context_;
    std::vector<std::unique_ptr<StagedSend>> sends_;
    std::vector<std::unique_ptr<StagedReceive>> receives_;
};

}  // namespace quartet::comm
