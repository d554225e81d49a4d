#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "comm/mpi/large_count.hpp"
#include "comm/transport/mpi/mpi_payload_channel.hpp"
#include "comm/transport/nccl/nccl_communicator.hpp"
#include "comm/transport/nccl/nccl_push.hpp"
#include "comm/transport/nccl/nccl_traits.hpp"
#include "comm/transport/support/gpus_of_ranks.hpp"
#include "comm/transport/support/message_collectives.hpp"
#include "comm/transport/transport_kind.hpp"
#include "core/environment.hpp"

namespace quartet::comm {

namespace {

// From this version on NCCL lets ranks share a GPU if NCCL_MULTI_RANK_GPU_ENABLE says so.
constexpr int version_with_shared_gpus = 23000;

// The tag of messages without data, which go over MPI and say only that their sender has come so
// far.
constexpr int nothing_tag = 2;

/// All equal parts as NCCL's own all-gather.
class NcclAllGather final : public Collective {
  public:
    NcclAllGather(const AllGatherPlan& plan, NcclCommunicator& nccl)
        : mine_(plan.mine), all_(plan.all), nccl_(nccl) {}

    void run(device::Stream& stream) override { nccl_.all_gather(mine_, all_, stream); }

  private:
    device::View<const std::byte> mine_;
    device::View<std::byte> all_;
    NcclCommunicator& nccl_;
};

/// NVIDIA's library: kernels that move the data over NVLink, PCIe or the network, on the stream
/// that computes. Payloads of queues go by MPI from and to the host's memory: both ranks would have
/// to enqueue NCCL's sends and receives in one order, and what comes next to a queue is not known
/// before it comes.
class NcclTransport final : public Transport {
  public:
    explicit NcclTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          nccl_(load_nccl(), comm_, *context.device.accelerator()),
          device_(context.device),
          track_(context.trace.track("nccl")),
          settings_(context.settings),
          wire_(device_.make_stream("nccl", device::StreamKind::transfer)) {}

    [[nodiscard]] const TransportTraits& traits() const override { return nccl_traits; }
    [[nodiscard]] std::string description() const override {
        const int version = nccl_.library().version();
        return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
    }

    device::Allocation allocate(Bytes size) override {
        return device_.allocate(size, device::MemoryKind::device);
    }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return std::make_unique<NcclPush>(
            plan, NcclPushContext{comm_, nccl_, device_, *wire_, nccl_chunk(settings_)});
    }
    void send(device::View<const std::byte> data, int to, device::Stream& stream) override {
        if (!data.empty()) {
            const Messages::Outgoing message{to, data};
            nccl_.exchange({&message, 1}, {}, stream);
        }
        stream.synchronize();
        if (data.empty()) {
            send_bytes({}, to, nothing_tag, comm_.handle());
        }
    }
    void receive(device::View<std::byte> data, int from, device::Stream& stream) override {
        if (data.empty()) {
            receive_bytes({}, from, nothing_tag, comm_.handle());
            return;
        }
        const Messages::Incoming message{from, data};
        nccl_.exchange({}, {&message, 1}, stream);
        stream.synchronize();
    }
    std::unique_ptr<PayloadChannel> prepare_payload_channel(
        const PayloadChannelPlan& plan) override {
        return make_mpi_payload_channel(plan, comm_, device_, track_, settings_);
    }
    std::unique_ptr<Collective> prepare_all_gather(const AllGatherPlan& plan) override {
        const bool equal = std::ranges::adjacent_find(plan.counts, std::ranges::not_equal_to()) ==
                           plan.counts.end();
        if (equal) {
            return std::make_unique<NcclAllGather>(plan, nccl_);
        }
        return make_message_all_gather(plan, context());
    }
    std::unique_ptr<Collective> prepare_reduce_scatter(const ReduceScatterPlan& plan) override {
        return make_message_reduce_scatter(plan, context());
    }
    std::unique_ptr<Exchange> prepare_exchange(const ExchangePlan& plan) override {
        return make_message_exchange(plan, context());
    }

  private:
    [[nodiscard]] MessageContext context() { return {comm_, nccl_, device_}; }

    Communicator comm_;
    NcclCommunicator nccl_;
    device::Device& device_;
    Track& track_;
    TransportSettings settings_;
    std::unique_ptr<device::Stream> wire_;
};

std::optional<std::string> why_no_library() {
    try {
        load_nccl();
    } catch (const Unavailable& unavailable) {
        return unavailable.what();
    }
    return std::nullopt;
}

/// Why NCCL would refuse ranks that share a GPU. It refuses them unless each claims to be on its
/// own host, or newer versions are told to allow it.
std::optional<std::string> why_no_sharing(const TransportContext& context) {
    Environment environment;
    const bool allowed = load_nccl()->version() >= version_with_shared_gpus &&
                         environment.get("NCCL_MULTI_RANK_GPU_ENABLE") == "1";
    if (context.world.all(allowed)) {
        return std::nullopt;
    }
    auto places = gpus_of_ranks(context);
    const auto hosts = context.world.gather(environment.get("NCCL_HOSTID").value_or(""));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        places[rank] += " " + hosts[rank];
    }
    if (!any_shared(places)) {
        return std::nullopt;
    }
    return "transport nccl needs a GPU for each rank (some share one): use --transport ipc or "
           "staged, or, only to check results, give each rank an NCCL_HOSTID of its own and "
           "NCCL_SOCKET_IFNAME=lo";
}

std::optional<std::string> why_no_nccl(const TransportContext& context) {
    if (auto problem = context.world.first(why_no_library())) {
        return problem;
    }
    return why_no_sharing(context);
}

}  // namespace

TransportKind nccl_transport() {
    return {nccl_traits, why_no_nccl, make_transport<NcclTransport>};
}

}  // namespace quartet::comm
