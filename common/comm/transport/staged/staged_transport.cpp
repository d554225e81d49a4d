#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <utility>

#include "comm/transport/staged/staged_transfer.hpp"
#include "core/check.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

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

int depth_of(const TransportSettings& settings) {
    return settings.pipeline == Pipeline::on ? pipeline_depth : 1;
}

class StagedPush final : public Push {
  public:
    StagedPush(device::Arena& arena, const PushPlan& plan, const StagedContext& context,
               int acknowledgements);

    void run(int count, device::Stream& stream) override;

  private:
    void receive_all(int count, device::Stream& stream);

    PushPlan plan_;
    StagedContext context_;
    int acknowledgements_;
    StagedTransfers transfers_;
    std::vector<StagedReceive*> receives_;  ///< by sender
};

StagedPush::StagedPush(device::Arena& arena, const PushPlan& plan, const StagedContext& context,
                       int acknowledgements)
    : plan_(plan), context_(context), acknowledgements_(acknowledgements), transfers_(context) {
    if (context.comm.rank() == plan.receiver) {
        for (const int sender : plan.senders) {
            receives_.push_back(
                &transfers_.add_receive(device::as_bytes(plan.target), sender, &arena));
        }
    } else if (plan.sends(context.comm.rank()) && !arena.plans()) {
        transfers_.add_send(device::as_bytes(plan.source), plan.receiver);
    }
}

void StagedPush::run(int count, device::Stream& stream) {
    if (context_.comm.rank() == plan_.receiver) {
        receive_all(count, stream);
    } else if (plan_.sends(context_.comm.rank())) {
        transfers_.begin(stream, count);
        transfers_.finish(stream);
        await_acknowledgement(plan_.receiver, acknowledgements_, context_.comm);
    }
}

// A chunk of each sender in turn, so that the sums have the same bits each time.
void StagedPush::receive_all(int count, device::Stream& stream) {
    transfers_.begin(stream, count);
    while (!receives_.empty() && !receives_.front()->all_taken()) {
        for (StagedReceive* receive : receives_) {
            transfers_.take(*receive, stream);
            const auto chunk = device::view_as<float>(receive->landed());
            const std::int64_t first = receive->first() / static_cast<std::int64_t>(sizeof(float));
            context_.device.vectors().add(chunk, plan_.target.part(first, chunk.size()), stream);
            receive->used(stream);
        }
    }
    transfers_.finish(stream);
    stream.synchronize();
    for (const int sender : plan_.senders) {
        acknowledge(sender, acknowledgements_, context_.comm);
    }
}

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
    void wait(Ticket& ticket, device::Stream& user) override {
        if (ticket.slot >= 0) {
            std::exchange(under_way_, nullptr)->finish(user);
            ticket = {};
        }
    }

    std::unique_ptr<Push> prepare_push(device::Arena& arena, const PushPlan& plan) override {
        return std::make_unique<StagedPush>(arena, plan, context(), new_lane(arena));
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

    void make_links(const Topology& topology);
    [[nodiscard]] StagedContext context() {
        return {comm(), device(), track(), links_, *out_, *in_, *ready_, chunks_};
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
    make_links(context.topology);
    description_ = context.settings.pipeline == Pipeline::on
                       ? fmt::format("chunks of up to {}, {} in flight",
                                     to_exact_string(chunks_.largest), pipeline_depth)
                       : "whole messages, one step after another";
}

void StagedTransport::make_links(const Topology& topology) {
    std::vector<std::unique_ptr<StagedLink>> within;
    if (settings().pipeline == Pipeline::on) {
        SharedLinks shared = make_shared_links(memory_, topology.node(), chunks_.largest);
        rings_ = std::move(shared.memory);
        within = std::move(shared.links);
    }
    for (int peer = 0; peer < comm().size(); ++peer) {
        auto& link = links_[static_cast<std::size_t>(peer)];
        if (peer == comm().rank()) {
            continue;
        }
        if (!within.empty() && topology.same_node(peer, comm().rank())) {
            link = std::move(within[static_cast<std::size_t>(topology.of(peer).local_rank)]);
        } else {
            link = make_mpi_link(peer, depth_of(settings()), comm(), device());
        }
    }
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
