#include <fmt/format.h>

#include <array>

#include "comm/transport/ipc/ipc_pool.hpp"
#include "comm/transport/support/peer_collectives.hpp"
#include "comm/transport/support/peer_payload_channel.hpp"
#include "comm/transport/support/peer_push.hpp"
#include "comm/transport/support/peer_sum.hpp"
#include "comm/transport/transport_kind.hpp"
#include "comm/windows/window_pool.hpp"
#include "core/peer_order.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits ipc_traits{
    .name = "ipc",
    .capabilities = {Capability::push, Capability::payload_channel, Capability::all_gather,
                     Capability::reduce_scatter, Capability::all_to_all},
    .memory = TransportMemory::gpu,
    .reach = Reach::one_node,
    .location = PartLocation::at_sender,
    .reduce_scatter_memory =
        [](int ranks, Bytes mine, const OperationContext&) {
            return peer_reduce_scatter_memory(ranks, mine);
        },
    .payload_memory = [](const PayloadChannelPlan& plan,
                         const OperationContext&) { return peer_payload_memory(plan); },
};

/// CUDA IPC: the ranks of one node map one another's GPU memory, and kernels read it in place. No
/// kernel ever waits for another rank: streams are synchronised, and ranks meet on the host.
/// Payloads of queues lie in page-locked windows of the host.
class IpcTransport final : public Transport {
  public:
    explicit IpcTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          memory_(comm_, context.device),
          windows_(WindowKind::shared, comm_, context.device.accelerator()),
          device_(context.device),
          track_(context.trace.track("ipc")) {}

    [[nodiscard]] const TransportTraits& traits() const override { return ipc_traits; }

    device::Allocation allocate(Bytes size) override { return memory_.allocate(size); }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return std::make_unique<PeerPush>(plan, memory_, windows_, comm_, device_, track_);
    }
    std::unique_ptr<PayloadChannel> prepare_payload_channel(
        const PayloadChannelPlan& plan) override {
        return make_peer_payload_channel(plan, windows_);
    }
    std::unique_ptr<Collective> prepare_all_gather(const AllGatherPlan& plan) override {
        return make_peer_all_gather(plan, context());
    }
    std::unique_ptr<Collective> prepare_reduce_scatter(const ReduceScatterPlan& plan) override {
        return make_peer_reduce_scatter(plan, context());
    }
    std::unique_ptr<Exchange> prepare_exchange(const ExchangePlan& plan) override {
        return make_peer_exchange(plan, context());
    }
    std::unique_ptr<OrderedSum> prepare_ordered_sum(const Communicator& /*comm*/,
                                                    int most) override {
        return std::make_unique<PeerSum>(windows_, comm_, most);
    }

  private:
    [[nodiscard]] PeerContext context() { return {comm_, memory_, device_, track_}; }

    Communicator comm_;
    IpcPool memory_;
    WindowPool windows_;
    device::Device& device_;
    Track& track_;
};

/// Whether this rank can read, in the memory of each other rank, what that rank has written.
bool reads_peers(const TransportContext& context) {
    IpcPool pool(context.world, context.device);
    auto mine = device::Buffer<double>(pool.allocate(bytes_of<double>(1)), 1);
    auto seen = device::allocate<double>(context.device, 1, device::MemoryKind::pinned);
    const auto stream = context.device.make_stream("probe");
    context.device.vectors().fill(1.0 + context.world.rank(), mine.view(), *stream);
    stream->synchronize();
    context.world.barrier();
    const auto all = pool.of_all(device::as_bytes(mine.view()));
    bool right = true;
    for (int step = 0; step < context.world.size(); ++step) {
        const int rank = peer_at_step(step, context.world.rank(), context.world.size());
        context.device.copy(all[static_cast<std::size_t>(rank)], device::as_bytes(seen.view()),
                            *stream);
        stream->synchronize();
        right = right && seen.span()[0] == 1.0 + rank;
    }
    return context.world.all(right);  // and all have read before any memory goes
}

std::string cannot_map(const std::string& reason) {
    return fmt::format(
        "transport ipc needs ranks that map one another's GPU memory ({}): let every rank see all "
        "GPUs of its node (Slurm: --gpu-bind=none; containers: one for all ranks, with "
        "--ipc=host), "
        "or use --transport staged",
        reason);
}

// Two ranks whose GPUs have no peer access. Where a rank does not see another's GPU, trying tells.
std::optional<std::string> gpus_out_of_reach(const TransportContext& context) {
    const device::Accelerator& mine = *context.device.accelerator();
    const auto buses = context.world.gather(mine.facts().pci_bus);
    std::optional<std::string> problem;
    for (int rank = 0; rank < context.world.size() && !problem; ++rank) {
        const std::string& bus = buses[static_cast<std::size_t>(rank)];
        if (mine.reaches(bus) == false) {
            problem = fmt::format(
                "transport ipc needs GPUs that reach one another's memory (those of ranks {} and "
                "{} have no peer access: nvidia-smi topo -p2p r shows which have): use --transport "
                "staged, or other GPUs by --gpu-map",
                context.world.rank(), rank);
        }
    }
    return context.world.first(problem);
}

std::optional<std::string> why_no_ipc(const TransportContext& context) {
    if (const auto problem = why_no_locked_windows(context.world, *context.device.accelerator())) {
        return problem;
    }
    if (const auto problem = gpus_out_of_reach(context)) {
        return problem;
    }
    try {
        if (!reads_peers(context)) {
            return cannot_map("what they read there is not what was written");
        }
    } catch (const Failure& failure) {  // on all ranks
        return cannot_map(failure.what());
    }
    return std::nullopt;
}

}  // namespace

TransportKind ipc_transport() {
    return {ipc_traits, why_no_ipc, make_transport<IpcTransport>};
}

}  // namespace quartet::comm
