#include "comm/transport/mpi/mpi_collectives.hpp"

#include <vector>

#include "comm/mpi/large_count.hpp"

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

/// An all-to-all into its own memory.
class MpiExchange final : public Exchange {
  public:
    MpiExchange(const ExchangePlan& plan, const Communicator& comm, device::Device& device,
                Track& track)
        : send_(plan.send),
          counts_(plan.counts, comm.handle()),
          received_(device::allocate<std::byte>(device, counts_.receive().total())),
          comm_(comm),
          track_(track) {
        for (int rank = 0; rank < comm.size(); ++rank) {
            const auto& parts = counts_.receive();
            parts_.emplace_back(received_.view().part(parts.offset(rank), parts.count(rank)));
        }
    }

    void run(device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::exchange, "all-to-all");
        all_to_all_bytes(as_mpi_buffer(send_), as_mpi_buffer(received_.view()), counts_,
                         comm_.handle());
    }

    [[nodiscard]] PartLocation location() const override { return PartLocation::received; }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return parts_;
    }

    // The next run() waits for the stream before it writes to the parts.
    void release(device::Stream& /*stream*/) override {}

  private:
    device::View<const std::byte> send_;
    ExchangeCounts counts_;
    device::Buffer<std::byte> received_;
    std::vector<device::View<const std::byte>> parts_;
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
