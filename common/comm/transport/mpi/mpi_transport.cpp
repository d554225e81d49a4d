#include <fmt/format.h>

#include "comm/mpi/large_count.hpp"
#include "comm/mpi/mpi_gpu_support.hpp"
#include "comm/transport/mpi/mpi_collectives.hpp"
#include "comm/transport/mpi/mpi_messages.hpp"
#include "comm/transport/mpi/mpi_payload_channel.hpp"
#include "comm/transport/mpi/mpi_push.hpp"
#include "comm/transport/support/message_collectives.hpp"
#include "comm/transport/transport_kind.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits mpi_traits{
    .name = "mpi",
    .capabilities = all_capabilities,
    .push_memory = [](const IncomingPushes& pushes,
                      const OperationContext& here) { return mpi_push_memory(pushes, here); },
    .reduce_scatter_memory =
        [](int ranks, Bytes mine, const OperationContext& here) {
            return here.kind == device::MemoryKind::device
                       ? message_reduce_scatter_memory(ranks, mine)
                       : Bytes{};
        },
    .payload_memory =
        [](const PayloadChannelPlan& plan, const OperationContext& here) {
            return mpi_payload_memory(plan, here.settings);
        },
};

constexpr int data_tag = 1;

/// Two-sided and collective MPI on the device's own memory. On a GPU's, sums are the GPU's work,
/// and collective operations are messages: those of MPI libraries mostly copy through the host
/// there.
class MpiTransport final : public Transport {
  public:
    explicit MpiTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          device_(context.device),
          settings_(context.settings),
          nodes_(context.topology.nodes()),
          track_(context.trace.track("mpi")),
          messages_(comm_, track_) {}

    [[nodiscard]] const TransportTraits& traits() const override { return mpi_traits; }

    device::Allocation allocate(Bytes size) override {
        return device_.allocate(size, device_.memory_kind());
    }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return std::make_unique<MpiPush>(
            plan, comm_, device_, track_,
            OperationContext{settings_, device_.memory_kind(), nodes_});
    }

    void send(device::View<const std::byte> data, int to, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::push, "send");
        send_bytes(as_mpi_buffer(data), to, data_tag, comm_.handle());
    }

    void receive(device::View<std::byte> data, int from, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::exchange, "receive");
        receive_bytes(as_mpi_buffer(data), from, data_tag, comm_.handle());
    }

    std::unique_ptr<PayloadChannel> prepare_payload_channel(
        const PayloadChannelPlan& plan) override {
        return make_mpi_payload_channel(plan, comm_, device_, track_, settings_);
    }
    std::unique_ptr<Collective> prepare_all_gather(const AllGatherPlan& plan) override {
        return on_gpu() ? make_message_all_gather(plan, message_context())
                        : make_mpi_all_gather(plan, comm_, track_);
    }
    std::unique_ptr<Collective> prepare_reduce_scatter(const ReduceScatterPlan& plan) override {
        return on_gpu() ? make_message_reduce_scatter(plan, message_context())
                        : make_mpi_reduce_scatter(plan, comm_, track_);
    }
    std::unique_ptr<Exchange> prepare_exchange(const ExchangePlan& plan) override {
        return on_gpu() ? make_message_exchange(plan, message_context())
                        : make_mpi_exchange(plan, comm_, device_, track_);
    }

  private:
    [[nodiscard]] bool on_gpu() const { return device::has_own_memory(device_); }
    [[nodiscard]] MessageContext message_context() { return {comm_, messages_, device_}; }

    Communicator comm_;
    device::Device& device_;
    TransportSettings settings_;
    int nodes_;
    Track& track_;
    MpiMessages messages_;
};

std::optional<std::string> why_no_mpi(const TransportContext& context) {
    if (!device::has_own_memory(context.device)) {
        return std::nullopt;
    }
    const auto reason = context.world.first(why_mpi_reaches_no_gpu());
    if (!reason) {
        return std::nullopt;
    }
    return fmt::format(
        "transport mpi needs an MPI that reaches memory of GPUs ({}): use one that was configured "
        "with CUDA, or --transport staged",
        *reason);
}

}  // namespace

TransportKind mpi_transport() {
    return {mpi_traits, why_no_mpi, make_transport<MpiTransport>};
}

}  // namespace quartet::comm
