#include "comm/transport/mpi/mpi_collectives.hpp"

#include "comm/mpi/large_count.hpp"
#include "comm/transport/support/receiving_exchange.hpp"

namespace quartet::comm {

namespace {

class MpiAllGather final : public Collective {
  public:
    MpiAllGather(const AllGatherPlan& plan, const Communicator& comm, Track& track)
        : mine_(plan.mine), all_(plan.all), counts_(plan.counts), comm_(comm), track_(track) {}

    void run(device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::exchange, "all-gather");
        all_gather_bytes(as_mpi_buffer(mine_), as_mpi_buffer(all_), counts_, comm_.handle());
    }

  private:
    device::View<const std::byte> mine_;
    device::View<std::byte> all_;
    RankCounts counts_;
    const Communicator& comm_;
    Track& track_;
};

class MpiReduceScatter final : public Collective {
  public:
    MpiReduceScatter(const ReduceScatterPlan& plan, const Communicator& comm, Track& track)
        : contribution_(plan.contribution),
          mine_(plan.mine),
          counts_(plan.counts),
          comm_(comm),
          track_(track) {}

    void run(device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::reduce, "reduce-scatter");
        reduce_scatter_sum(as_mpi_buffer(contribution_), as_mpi_buffer(mine_), counts_,
                           comm_.handle());
    }

  private:
    device::View<const double> contribution_;
    device::View<double> mine_;
    RankCounts counts_;
    const Communicator& comm_;
    Track& track_;
};

class MpiExchange final : public ReceivingExchange {
  public:
    MpiExchange(const ExchangePlan& plan, const Communicator& comm, device::Device& device,
                Track& track)
        : ReceivingExchange(plan, comm, device), comm_(comm), track_(track) {}

    void run(device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::exchange, "all-to-all");
        all_to_all_bytes(as_mpi_buffer(all_sent()), as_mpi_buffer(all_received()), counts(),
                         comm_.handle());
    }

  private:
    const Communicator& comm_;
    Track& track_;
};

}  // namespace

std::unique_ptr<Collective> make_mpi_all_gather(const AllGatherPlan& plan, const Communicator& comm,
                                                Track& track) {
    return std::make_unique<MpiAllGather>(plan, comm, track);
}

std::unique_ptr<Collective> make_mpi_reduce_scatter(const ReduceScatterPlan& plan,
                                                    const Communicator& comm, Track& track) {
    return std::make_unique<MpiReduceScatter>(plan, comm, track);
}

std::unique_ptr<Exchange> make_mpi_exchange(const ExchangePlan& plan, const Communicator& comm,
                                            device::Device& device, Track& track) {
    return std::make_unique<MpiExchange>(plan, comm, device, track);
}

}  // namespace quartet::comm
