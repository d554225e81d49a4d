#include "comm/large_count.hpp"
#include "comm/mpi_collectives.hpp"
#include "comm/mpi_mail.hpp"
#include "comm/mpi_push.hpp"
#include "comm/transport_registry.hpp"

namespace quartet::comm {

namespace {

constexpr int data_tag = 1;

/// Two-sided and collective MPI on the device's own memory.
class MpiTransport final : public Transport {
  public:
    explicit MpiTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          device_(context.device),
          settings_(context.settings),
          track_(context.trace.track("mpi")) {}

    [[nodiscard]] std::string_view name() const override { return "mpi"; }
    [[nodiscard]] bool can(Capability) const override { return true; }

    device::Allocation allocate(Bytes size) override {
        return device_.allocate(size, device_.memory_kind());
    }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return std::make_unique<MpiPush>(plan, comm_, device_, track_, settings_);
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

    std::unique_ptr<Mail> prepare_mail(const MailPlan& plan) override {
        return make_mpi_mail(plan, comm_, device_, track_);
    }
    std::unique_ptr<Collective> prepare_all_gather(const AllGatherPlan& plan) override {
        return make_mpi_all_gather(plan, comm_, track_);
    }
    std::unique_ptr<Collective> prepare_reduce_scatter(const ReduceScatterPlan& plan) override {
        return make_mpi_reduce_scatter(plan, comm_, track_);
    }
    std::unique_ptr<Exchange> prepare_exchange(const ExchangePlan& plan) override {
        return make_mpi_exchange(plan, comm_, device_, track_);
    }

  private:
    Communicator comm_;
    device::Device& device_;
    TransportSettings settings_;
    Track& track_;
};

std::optional<std::string> why_no_mpi(const TransportContext& context) {
    if (context.device.memory_kind() == device::MemoryKind::device) {
        return "this MPI is not known to reach the memory of an accelerator: use --transport "
               "staged";
    }
    return std::nullopt;
}

}  // namespace

TransportKind mpi_transport() {
    return {"mpi", why_no_mpi, [](const TransportContext& context) -> std::unique_ptr<Transport> {
                return std::make_unique<MpiTransport>(context);
            }};
}

}  // namespace quartet::comm
