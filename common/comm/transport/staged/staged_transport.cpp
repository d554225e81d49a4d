#include <fmt/format.h>

#include <algorithm>

#include "comm/mpi/large_count.hpp"
#include "comm/transport/mpi/mpi_payload_channel.hpp"
#include "comm/transport/staged/mpi_link.hpp"
#include "comm/transport/staged/shared_link.hpp"
#include "comm/transport/staged/staged_operations.hpp"
#include "comm/transport/support/peer_payload_channel.hpp"
#include "comm/transport/transport_kind.hpp"

namespace quartet::comm {

namespace {

// A message's count is an int.
constexpr ChunkSizes without_pipeline{gibibytes(1), gibibytes(1)};
// Over PCIe 5 copies of 2 MiB that go both ways at once have 44 GB/s, and of 8 MiB 47 (an H200).
constexpr ChunkSizes usual_chunks{mebibytes(2), mebibytes(8)};

// The tag of messages without data, which say only that their sender has come so far.
constexpr int nothing_tag = 2;

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

// Of all ranks of this one's node.
Bytes memory_of_rings(const Topology& topology, Bytes chunk) {
    const Communicator& node = topology.node();
    return node.size() * shared_links_memory(node.size(), chunk);
}

bool rings_fit(const Topology& topology, Bytes chunk) {
    return memory_of_rings(topology, chunk) <= topology.resources().shared_memory_free;
}

// Large chunks where each node has room for their rings. Both ends of a link cut alike. Collective.
ChunkSizes fitting_chunks(const TransportContext& context) {
    const ChunkSizes wanted = chunk_sizes(context.settings);
    const bool fit =
        context.settings.pipeline == Pipeline::off || rings_fit(context.topology, wanted.largest);
    return context.world.all(fit) ? wanted : ChunkSizes{wanted.least, wanted.least};
}

int depth_of(const TransportSettings& settings) {
    return settings.pipeline == Pipeline::on ? pipeline_depth : 1;
}

Bytes staging_memory_of(Bytes message, const TransportSettings& settings) {
    return staging_memory(message, chunk_sizes(settings), depth_of(settings));
}

constexpr TransportTraits staged_traits{
    .name = "staged",
    .capabilities = all_capabilities,
    .memory = TransportMemory::gpu,
    .push_memory =
        [](const IncomingPushes& pushes, const OperationContext& here) {
            return pushes.senders * staging_memory_of(pushes.size, here.settings);
        },
    .reduce_scatter_memory =
        [](int ranks, Bytes mine, const OperationContext& here) {
            return (ranks - 1) * staging_memory_of(mine, here.settings);
        },
    .payload_memory =
        [](const PayloadChannelPlan& plan, const OperationContext& here) {
            return here.nodes == 1 ? peer_payload_memory(plan)
                                   : mpi_payload_memory(plan, here.settings);
        },
};

/// The last transfer with one peer in one direction, kept in case the same is asked for again.
struct KeptTransfer {
    const std::byte* data = nullptr;
    std::int64_t size = -1;
    std::unique_ptr<StagedTransfers> transfers;
};

/// GPU memory by way of page-locked memory of the host. Within a node that is shared memory, which
/// both GPUs copy from and to; between nodes, and everywhere without the pipeline, MPI carries it
/// from buffer to buffer.
class StagedTransport final : public Transport {
  public:
    explicit StagedTransport(const TransportContext& context);

    [[nodiscard]] const TransportTraits& traits() const override { return staged_traits; }
    [[nodiscard]] std::string description() const override { return description_; }

    device::Allocation allocate(Bytes size) override {
        return device_.allocate(size, device_.memory_kind());
    }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return make_staged_push(plan, context());
    }
    void send(device::View<const std::byte> data, int to, device::Stream& stream) override {
        if (data.empty()) {
            stream.synchronize();
            send_bytes({}, to, nothing_tag, comm_.handle());
            return;
        }
        transfer(sends_, data, to, stream,
                 [&](StagedTransfers& transfers) { transfers.add_send(data, to); });
    }
    void receive(device::View<std::byte> data, int from, device::Stream& stream) override {
        if (data.empty()) {
            receive_bytes({}, from, nothing_tag, comm_.handle());
            return;
        }
        transfer(receives_, data, from, stream,
                 [&](StagedTransfers& transfers) { transfers.add_receive(data, from); });
    }
    std::unique_ptr<PayloadChannel> prepare_payload_channel(
        const PayloadChannelPlan& plan) override {
        if (one_node_) {
            return make_peer_payload_channel(plan, windows_);
        }
        return make_mpi_payload_channel(plan, comm_, device_, track_, settings_);
    }
    std::unique_ptr<Collective> prepare_all_gather(const AllGatherPlan& plan) override {
        return make_staged_all_gather(plan, context());
    }
    std::unique_ptr<Collective> prepare_reduce_scatter(const ReduceScatterPlan& plan) override {
        return make_staged_reduce_scatter(plan, context());
    }
    std::unique_ptr<Exchange> prepare_exchange(const ExchangePlan& plan) override {
        return make_staged_exchange(plan, context());
    }

  private:
    void make_links(const Topology& topology, const TransportSettings& settings);
    [[nodiscard]] StagedContext context() {
        return {comm_, device_, track_, links_, *out_, *in_, *ready_, chunks_};
    }
    template <typename Add>
    void transfer(std::vector<KeptTransfer>& kept, device::View<const std::byte> data, int peer,
                  device::Stream& stream, Add add);

    Communicator comm_;
    device::Device& device_;
    Track& track_;
    TransportSettings settings_;
    ChunkSizes chunks_;
    bool one_node_;
    std::unique_ptr<device::Stream> out_;
    std::unique_ptr<device::Stream> in_;
    std::unique_ptr<device::Event> ready_;
    WindowPool windows_;
    device::Allocation rings_;  ///< of the links within the node
    std::vector<std::unique_ptr<StagedLink>> links_;
    std::vector<KeptTransfer> sends_;
    std::vector<KeptTransfer> receives_;
    std::string description_;
};

StagedTransport::StagedTransport(const TransportContext& context)
    : comm_(context.world.duplicate()),
      device_(context.device),
      track_(context.trace.track("staged")),
      settings_(context.settings),
      chunks_(fitting_chunks(context)),
      one_node_(context.topology.nodes() == 1),
      out_(device_.make_stream("copy out", device::StreamKind::transfer)),
      in_(device_.make_stream("copy in", device::StreamKind::transfer)),
      ready_(device_.make_event()),
      windows_(WindowKind::shared, context.topology.node(), device_.accelerator()),
      links_(static_cast<std::size_t>(comm_.size())),
      sends_(links_.size()),
      receives_(links_.size()) {
    make_links(context.topology, context.settings);
    description_ = context.settings.pipeline == Pipeline::on
                       ? fmt::format("chunks of up to {}, {} in flight",
                                     to_exact_string(chunks_.largest), pipeline_depth)
                       : "whole messages, one step after another";
}

void StagedTransport::make_links(const Topology& topology, const TransportSettings& settings) {
    std::vector<std::unique_ptr<StagedLink>> within;
    if (settings.pipeline == Pipeline::on) {
        SharedLinks shared = make_shared_links(windows_, topology.node(), chunks_.largest);
        rings_ = std::move(shared.memory);
        within = std::move(shared.links);
    }
    for (int peer = 0; peer < comm_.size(); ++peer) {
        auto& link = links_[static_cast<std::size_t>(peer)];
        if (peer == comm_.rank()) {
            continue;
        }
        if (!within.empty() && topology.same_node(peer, comm_.rank())) {
            link = std::move(within[static_cast<std::size_t>(topology.of(peer).local_rank)]);
        } else {
            link = make_mpi_link(peer, depth_of(settings), comm_, device_);
        }
    }
}

template <typename Add>
void StagedTransport::transfer(std::vector<KeptTransfer>& kept, device::View<const std::byte> data,
                               int peer, device::Stream& stream, Add add) {
    KeptTransfer& last = kept[static_cast<std::size_t>(peer)];
    if (last.data != data.data() || last.size != data.size()) {
        last = {data.data(), data.size(), std::make_unique<StagedTransfers>(context())};
        add(*last.transfers);
    }
    last.transfers->begin(stream);
    last.transfers->finish(stream);
}

std::optional<std::string> too_little_shared_memory(const TransportContext& context) {
    if (context.settings.pipeline == Pipeline::off) {
        return std::nullopt;
    }
    const Bytes least = chunk_sizes(context.settings).least;
    if (rings_fit(context.topology, least)) {
        return std::nullopt;
    }
    return fmt::format(
        "transport staged needs {} of /dev/shm on the node ({} are free): use a smaller --chunk, "
        "or give it more (docker: --shm-size)",
        to_string(memory_of_rings(context.topology, least)),
        to_string(context.topology.resources().shared_memory_free));
}

std::optional<std::string> why_no_staged(const TransportContext& context) {
    if (auto problem = context.world.first(too_little_shared_memory(context))) {
        return problem;
    }
    return context.world.first(
        why_no_locked_windows(context.topology.node(), *context.device.accelerator()));
}

}  // namespace

TransportKind staged_transport() {
    return {staged_traits, why_no_staged, make_transport<StagedTransport>};
}

}  // namespace quartet::comm
