#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <list>
#include <utility>

#include "comm/transport/operations_internal.hpp"
#include "comm/transport/staged/links.hpp"
#include "core/block_range.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

/// How large chunks are, in multiples of 8 bytes. Small ones cost more events and messages; large
/// ones take long for the first copy out and the last copy in, beside which nothing else is copied.
struct ChunkSizes {
    Bytes least;
    Bytes largest;
};
// MPI counts a message by an int.
constexpr ChunkSizes without_pipeline{gibibytes(1), gibibytes(1)};
// Over PCIe 5, copies both ways at once reach 44 GB/s with 2 MiB, and 47 GB/s with 8 MiB (an H200).
constexpr ChunkSizes usual_chunks{mebibytes(2), mebibytes(8)};

// Another --chunk than the default is taken as it is.
ChunkSizes chunk_sizes(const TransportSettings& settings) {
    constexpr std::int64_t step = sizeof(double);
    if (settings.pipeline == Pipeline::off) {
        return without_pipeline;
    }
    if (settings.chunk == TransportSettings{}.chunk) {
        return usual_chunks;
    }
    const Bytes chunk{
        std::clamp(settings.chunk.value / step * step, step, without_pipeline.largest.value)};
    return {chunk, chunk};
}

/// Cuts a message into four chunks, as far as the sizes allow.
Cut chunks_of(std::int64_t message, const ChunkSizes& sizes) {
    constexpr std::int64_t page = 4096;
    const std::int64_t quarter = divide_up(message, 4 * page) * page;
    const std::int64_t chunk = std::clamp(quarter, sizes.least.value, sizes.largest.value);
    return {message, std::min(chunk, std::max<std::int64_t>(message, 1))};
}

/// What staged operations are made from; all of it outlives them.
struct StagedContext {
    device::Device& device;
    Track& track;
    std::span<const std::unique_ptr<StagedLink>> links;  ///< by rank; null for this one
    device::Stream& out;                                 ///< of copies from the GPU
    device::Stream& in;                                  ///< of copies to it
    device::Event& ready;                                ///< reached when earlier work is done
    ChunkSizes chunk_sizes;
};

/// Memory of the GPU on its way to a peer: chunks are copied out as the link has room, and posted
/// when their copies have been made. Prepared once, run many times.
class StagedSend {
  public:
    StagedSend(device::View<const std::byte> source, int peer, const StagedContext& context)
        : source_(source),
          link_(*context.links[index(peer)]),
          context_(context),
          chunks_(chunks_of(source.size(), context.chunk_sizes)) {
        link_.reserve({std::min(chunks_.piece, chunks_.size)});
        for (int place = 0; place < link_.depth(); ++place) {
            copied_.push_back(context.device.make_event());
        }
    }

    /// Begins to send the source, `times` times over.
    void begin(int times) {
        count_ = times * chunks_.count();
        number_ = link_.claim_outgoing(count_);
        filled_ = 0;
        posted_ = 0;
    }
    /// Goes on as far as it can without waiting.
    void advance() {
        while (filled_ < count_ && filled_ < posted_ + link_.depth() &&
               link_.is_free(number_ + filled_)) {
            const Bytes size{chunks_.length(filled_)};
            context_.device.copy(source_.part(chunks_.first(filled_), size.value),
                                 link_.outgoing(number_ + filled_, size), context_.out);
            context_.out.record(copied(filled_));
            ++filled_;
        }
        while (posted_ < filled_ && copied(posted_).reached()) {
            link_.post(number_ + posted_, Bytes{chunks_.length(posted_)});
            ++posted_;
        }
    }
    /// Whether all chunks have been posted: the source may change.
    [[nodiscard]] bool done() const { return posted_ == count_; }

  private:
    [[nodiscard]] device::Event& copied(std::int64_t chunk) {
        return *copied_[index(chunk) % copied_.size()];
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
                  const StagedContext& context)
        : target_(target),
          stages_(staging != nullptr),
          link_(*context.links[index(peer)]),
          context_(context),
          chunks_(chunks_of(target.size(), context.chunk_sizes)),
          places_(index(link_.depth())) {
        const std::int64_t chunk = std::min(chunks_.piece, chunks_.size);
        if (stages_) {
            constexpr std::int64_t alignment = 256;
            stride_ = divide_up(chunk, alignment) * alignment;
            staging_ = staging->make<std::byte>(link_.depth() * stride_);
            if (staging->plans()) {
                return;
            }
        }
        link_.reserve({chunk});
        for (Place& place : places_) {
            place.copied = context.device.make_event();
            place.used = context.device.make_event();
        }
    }

    void begin(int times) {
        count_ = times * chunks_.count();
        number_ = link_.claim_incoming(count_);
        expected_ = 0;
        taken_ = 0;
        released_ = 0;
    }
    /// Keeps the link supplied with places: releases those that have been copied in.
    void advance() {
        while (released_ < taken_ && place(released_).copied->reached()) {
            link_.release(number_ + released_);
            ++released_;
        }
        while (expected_ < count_ && expected_ < released_ + link_.depth()) {
            link_.expect(number_ + expected_, Bytes{chunks_.length(expected_)});
            ++expected_;
        }
    }
    /// Copies in the next chunk, if it is there. Where it lands in staging memory, `user` waits for
    /// the copy, and landed() is the chunk, which is to be used up by `user` before used() is
    /// called.
    bool take(device::Stream& user) {
        if (taken_ == expected_ || !link_.arrived(number_ + taken_)) {
            return false;
        }
        const Bytes size{chunks_.length(taken_)};
        Place& here = place(taken_);
        device::View<std::byte> to;
        if (stages_) {
            to = staging_.view().part(taken_ % std::ssize(places_) * stride_, size.value);
            context_.in.wait(*here.used);
        } else {
            to = target_.part(chunks_.first(taken_), size.value);
        }
        context_.device.copy(link_.incoming(number_ + taken_, size), to, context_.in);
        context_.in.record(*here.copied);
        if (stages_) {
            user.wait(*here.copied);
        }
        landed_ = to;
        ++taken_;
        return true;
    }
    [[nodiscard]] device::View<const std::byte> landed() const { return landed_; }
    void used(device::Stream& user) { user.record(*place(taken_ - 1).used); }
    [[nodiscard]] bool all_taken() const { return taken_ == count_; }
    [[nodiscard]] bool done() const { return released_ == count_; }

  private:
    struct Place {
        std::unique_ptr<device::Event> copied;
        std::unique_ptr<device::Event> used;
    };
    [[nodiscard]] Place& place(std::int64_t chunk) {
        return places_[index(chunk) % places_.size()];
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
    void add_send(device::View<const std::byte> source, int peer) {
        if (!source.empty()) {
            sends_.push_back(std::make_unique<StagedSend>(source, peer, context_));
        }
    }
    StagedReceive& add_receive(device::View<std::byte> target, int peer,
                               device::Arena* staging = nullptr) {
        receives_.push_back(std::make_unique<StagedReceive>(target, peer, staging, context_));
        return *receives_.back();
    }

    /// Begins, after the work of `stream` so far.
    void begin(device::Stream& stream, int times = 1) {
        stream.record(context_.ready);
        context_.out.wait(context_.ready);
        context_.in.wait(context_.ready);
        for (const auto& send : sends_) {
            send->begin(times);
        }
        for (const auto& receive : receives_) {
            receive->begin(times);
        }
    }
    /// Takes the next chunk of a receive into staging memory, waiting for it.
    void take(StagedReceive& receive, device::Stream& user) {
        wait_until([&] { return receive.take(user); }, "chunk");
    }
    /// Completes everything: chunks that land where they belong are taken as they come.
    void finish(device::Stream& stream) {
        const auto done = [&] {
            bool all = true;
            for (const auto& receive : receives_) {
                while (!receive->all_taken() && receive->take(stream)) {
                    receive->advance();
                }
                all = all && receive->done();
            }
            return all &&
                   std::ranges::all_of(sends_, [](const auto& send) { return send->done(); });
        };
        wait_until(done, "chunks");
        context_.out.synchronize();
        context_.in.synchronize();
    }

  private:
    // Spins for a while, since a peer with its own core answers soon; then yields, since a peer
    // that shares this core cannot answer while this rank spins.
    template <typename Condition>
    void wait_until(Condition condition, const char* label) {
        constexpr int spins_before_yield = 1000;
        const Span span(context_.track, Phase::exchange, label);
        for (int spin = 0; advance(), !condition(); ++spin) {
            if (spin > spins_before_yield) {
                sched_yield();
            }
        }
    }
    void advance() {
        for (const auto& send : sends_) {
            send->advance();
        }
        for (const auto& receive : receives_) {
            receive->advance();
        }
    }

    StagedContext context_;
    std::vector<std::unique_ptr<StagedSend>> sends_;
    std::vector<std::unique_ptr<StagedReceive>> receives_;
};

/// A chunk of each sender in turn.
class StagedPieces {
  public:
    StagedPieces(device::Arena& arena, const Transport& transport, const PushPlan& plan,
                 const StagedContext& context)
        : cut_(chunks_of(plan.target.bytes().value, context.chunk_sizes)), transfers_(context) {
        const int rank = transport.comm().rank();
        for (const int sender : plan.senders) {
            if (rank == plan.receiver) {
                receives_.push_back(
                    &transfers_.add_receive(device::as_bytes(plan.target), sender, &arena));
            } else if (rank == sender && !arena.plans()) {
                transfers_.add_send(device::as_bytes(plan.source), plan.receiver);
            }
        }
    }

    void send(int times, device::Stream& stream) {
        transfers_.begin(stream, times);
        transfers_.finish(stream);
    }
    void begin(int times, device::Stream& stream) { transfers_.begin(stream, times); }
    [[nodiscard]] device::View<const std::byte> take(std::size_t sender, device::Stream& stream) {
        transfers_.take(*receives_[sender], stream);
        return receives_[sender]->landed();
    }
    void used(std::size_t sender, device::Stream& stream) { receives_[sender]->used(stream); }
    void end(device::Stream& stream) {
        transfers_.finish(stream);
        stream.synchronize();
    }
    [[nodiscard]] Cut cut() const { return cut_; }

  private:
    Cut cut_;
    StagedTransfers transfers_;
    std::vector<StagedReceive*> receives_;  ///< by sender
};

constexpr TransportTraits staged_traits{
    .name = "staged",
    .memory = TransportMemory::gpu,
};

/// GPU memory by way of page-locked memory of the host. Within a node that is shared memory, which
/// both GPUs copy from and to; between nodes, and everywhere without the pipeline, MPI carries it
/// from buffer to buffer. One start() is under way at a time.
class StagedTransport final : public Transport {
  public:
    explicit StagedTransport(const TransportContext& context);

    [[nodiscard]] std::string description() const override { return description_; }
    [[nodiscard]] Transport& for_payloads() override { return *payloads_; }

    Ticket start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                 device::Stream& stream) override;

    std::unique_ptr<Push> prepare_push(device::Arena& arena, const PushPlan& plan) override {
        const StagedContext made_from = context();
        return std::make_unique<PushByReceiver<StagedPieces>>(arena, *this, plan, made_from);
    }

  private:
    /// Transfers of earlier messages, kept in case the same messages are sent again.
    struct Kept {
        std::vector<Outgoing> outgoing;
        std::vector<Incoming> incoming;
        std::unique_ptr<StagedTransfers> transfers;

        [[nodiscard]] bool holds(std::span<const Outgoing> out,
                                 std::span<const Incoming> in) const {
            const auto same = [](const auto& a, const auto& b) {
                return a.data.data() == b.data.data() && a.data.size() == b.data.size();
            };
            return std::ranges::equal(outgoing, out,
                                      [&](const Outgoing& a, const Outgoing& b) {
                                          return a.to == b.to && same(a, b);
                                      }) &&
                   std::ranges::equal(incoming, in, [&](const Incoming& a, const Incoming& b) {
                       return a.from == b.from && same(a, b);
                   });
        }
    };

    void finish(int /*slot*/, device::Stream& user) override {
        std::exchange(under_way_, nullptr)->finish(user);
    }
    [[nodiscard]] StagedContext context() {
        return {device(), track(), links_, *out_, *in_, *ready_, chunks_};
    }

    ChunkSizes chunks_;
    std::unique_ptr<device::Stream> out_;
    std::unique_ptr<device::Stream> in_;
    std::unique_ptr<device::Event> ready_;
    SharedMemory memory_;
    device::Allocation rings_;  ///< of the links within the node
    std::vector<std::unique_ptr<StagedLink>> links_;
    std::unique_ptr<Transport> payloads_;
    std::list<Kept> kept_;
    StagedTransfers* under_way_ = nullptr;
    std::string description_;
};

StagedTransport::StagedTransport(const TransportContext& context)
    : Transport(context, staged_traits),
      chunks_(chunk_sizes(context.settings)),
      out_(device().make_stream("copy out", device::StreamKind::transfer)),
      in_(device().make_stream("copy in", device::StreamKind::transfer)),
      ready_(device().make_event()),
      memory_(context.topology.node(), device().accelerator()),
      links_(static_cast<std::size_t>(comm().size())),
      payloads_(context.topology.nodes() == 1
                    ? make_shared_transport(context, device().accelerator())
                    : make_mpi_transport(context)) {
    const bool pipelined = settings().pipeline == Pipeline::on;
    if (pipelined) {
        rings_ = make_shared_links(memory_, context.topology, chunks_.largest, links_);
    }
    for (int peer = 0; peer < comm().size(); ++peer) {
        if (peer != comm().rank() && links_[index(peer)] == nullptr) {
            links_[index(peer)] =
                make_mpi_link(peer, pipelined ? pipeline_depth : 1, comm(), device());
        }
    }
    description_ = pipelined ? fmt::format("chunks of up to {}, {} in flight",
                                           to_exact_string(chunks_.largest), pipeline_depth)
                             : "whole messages, one step after another";
}

Ticket StagedTransport::start(std::span<const Outgoing> outgoing,
                              std::span<const Incoming> incoming, device::Stream& stream) {
    constexpr std::size_t most_kept = 64;
    check(under_way_ == nullptr, "transport staged has messages under way");
    auto known =
        std::ranges::find_if(kept_, [&](const Kept& one) { return one.holds(outgoing, incoming); });
    if (known == kept_.end()) {
        if (kept_.size() == most_kept) {
            kept_.pop_front();
        }
        kept_.push_back({{outgoing.begin(), outgoing.end()},
                         {incoming.begin(), incoming.end()},
                         std::make_unique<StagedTransfers>(context())});
        known = std::prev(kept_.end());
        for (const Outgoing& message : outgoing) {
            known->transfers->add_send(message.data, message.to);
        }
        for (const Incoming& message : incoming) {
            known->transfers->add_receive(message.data, message.from);
        }
    }
    under_way_ = known->transfers.get();
    under_way_->begin(stream);
    return {0};
}

std::optional<std::string> why_no_staged(const TransportContext& context) {
    const auto problem = context.world.first(
        why_no_shared_memory(context.topology.node(), context.device.accelerator()));
    return problem ? std::optional("transport staged: " + *problem) : std::nullopt;
}

}  // namespace

TransportKind staged_transport() {
    return {staged_traits, why_no_staged, make_transport<StagedTransport>};
}

}  // namespace quartet::comm
