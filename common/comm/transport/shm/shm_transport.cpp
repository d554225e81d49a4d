#include <fmt/format.h>

#include "comm/transport/support/peer_collectives.hpp"
#include "comm/transport/support/peer_payload_channel.hpp"
#include "comm/transport/support/peer_push.hpp"
#include "comm/transport/support/peer_sum.hpp"
#include "comm/transport/transport_kind.hpp"
#include "comm/windows/window_pool.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits shm_traits{
    .name = "shm",
    .capabilities = {Capability::push, Capability::payload_channel, Capability::all_gather,
                     Capability::reduce_scatter, Capability::all_to_all},
    .memory = TransportMemory::host,
    .reach = Reach::one_node,
    .location = PartLocation::at_sender,
    .windows = WindowKind::shared,
    .payload_memory = [](const PayloadChannelPlan& plan,
                         const OperationContext&) { return peer_payload_memory(plan); },
};

/// Loads and stores in MPI-3 shared windows: the ranks of one node read each other's memory in
/// place. Collective operations take what other ranks read from memory of this transport.
class ShmTransport final : public Transport {
  public:
    explicit ShmTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          pool_(WindowKind::shared, comm_),
          device_(context.device),
          track_(context.trace.track("shm")) {}

    [[nodiscard]] const TransportTraits& traits() const override { return shm_traits; }
    [[nodiscard]] std::string description() const override {
        return !huge_pages_   ? ""
               : *huge_pages_ ? "windows on huge pages"
                              : "windows on ordinary pages";
    }
    [[nodiscard]] std::optional<bool> huge_pages() const override { return huge_pages_; }

    device::Allocation allocate(Bytes size) override { return pool_.allocate(size); }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        note_pages(device::as_bytes(plan.source));
        return std::make_unique<PeerPush>(plan, pool_, pool_, comm_, device_, track_);
    }

    std::unique_ptr<PayloadChannel> prepare_payload_channel(
        const PayloadChannelPlan& plan) override {
        huge_pages_.reset();
        return make_peer_payload_channel(plan, pool_);
    }
    std::unique_ptr<Collective> prepare_all_gather(const AllGatherPlan& plan) override {
        return make_peer_all_gather(plan, context());
    }
    std::unique_ptr<Collective> prepare_reduce_scatter(const ReduceScatterPlan& plan) override {
        return make_peer_reduce_scatter(plan, context());
    }
    std::unique_ptr<Exchange> prepare_exchange(const ExchangePlan& plan) override {
        note_pages(plan.send);
        return make_peer_exchange(plan, context());
    }
    std::unique_ptr<OrderedSum> prepare_ordered_sum(const Communicator& /*comm*/,
                                                    int most) override {
        return std::make_unique<PeerSum>(pool_, comm_, most);
    }

  private:
    [[nodiscard]] PeerContext context() { return {comm_, pool_, device_, track_}; }

    // The windows that are read decide.
    void note_pages(device::View<const std::byte> read) {
        const bool huge = read.empty() || on_huge_pages(read.data());
        huge_pages_ = comm_.all(huge);
    }

    Communicator comm_;
    WindowPool pool_;
    device::Device& device_;
    Track& track_;
    std::optional<bool> huge_pages_;
};

std::optional<std::string> why_no_shm(const TransportContext& context) {
    if (const auto problem = context.world.first(missing_backing_folder(WindowKind::shared))) {
        return problem;
    }
    try {  // some MPI set-ups have no shared windows
        const Window window(WindowKind::shared, bytes_of<float>(1), context.world);
    } catch (const Failure& failure) {  // on all ranks
        return fmt::format("transport shm needs shared windows ({}): use --transport mpi",
                           failure.what());
    }
    return std::nullopt;
}

}  // namespace

TransportKind shm_transport() {
    return {shm_traits, why_no_shm, make_transport<ShmTransport>};
}

}  // namespace quartet::comm
