#include "comm/transport/transport.hpp"

#include <fmt/format.h>

namespace quartet::comm {

std::string_view name(Capability capability) {
    switch (capability) {
        case Capability::push:
            return "push";
        case Capability::send_receive:
            return "send/receive";
        case Capability::payload_channel:
            return "payload channel";
        case Capability::all_gather:
            return "all-gather";
        case Capability::reduce_scatter:
            return "reduce-scatter";
        case Capability::all_to_all:
            return "all-to-all";
    }
    return "unknown";
}

namespace {

[[noreturn]] void undeclared(const Transport& transport, Capability capability) {
    throw Failure(fmt::format("transport {} has no {} (ask its can() first)", transport.name(),
                              name(capability)));
}

/// Gathers all shares, which every rank adds.
class MpiSum final : public OrderedSum {
  public:
    MpiSum(const Communicator& comm, int most) : comm_(comm) {
        std::vector<double> first(static_cast<std::size_t>(most));
        comm_.sum(first);  // so that later sums allocate nothing
    }

    void run(std::span<double> values) override { comm_.sum(values); }

  private:
    const Communicator& comm_;
};

}  // namespace

std::unique_ptr<Push> Transport::prepare_push(const PushPlan&) {
    undeclared(*this, Capability::push);
}

void Transport::send(device::View<const std::byte>, int, device::Stream&) {
    undeclared(*this, Capability::send_receive);
}

void Transport::receive(device::View<std::byte>, int, device::Stream&) {
    undeclared(*this, Capability::send_receive);
}

std::unique_ptr<PayloadChannel> Transport::prepare_payload_channel(const PayloadChannelPlan&) {
    undeclared(*this, Capability::payload_channel);
}

std::unique_ptr<Collective> Transport::prepare_all_gather(const AllGatherPlan&) {
    undeclared(*this, Capability::all_gather);
}

std::unique_ptr<Collective> Transport::prepare_reduce_scatter(const ReduceScatterPlan&) {
    undeclared(*this, Capability::reduce_scatter);
}

std::unique_ptr<Exchange> Transport::prepare_exchange(const ExchangePlan&) {
    undeclared(*this, Capability::all_to_all);
}

std::unique_ptr<OrderedSum> Transport::prepare_ordered_sum(const Communicator& comm, int most) {
    return std::make_unique<MpiSum>(comm, most);
}

}  // namespace quartet::comm
