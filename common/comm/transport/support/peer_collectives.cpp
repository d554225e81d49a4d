#include "comm/transport/support/peer_collectives.hpp"

#include <vector>

#include "comm/mpi/large_count.hpp"
#include "core/peer_order.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

/// Memory of all ranks that each of them reads: where this process sees it, and the two moments
/// that its reading lies between. At either the ranks meet, unless the caller's sums see to it.
class SharedReading {
  public:
    /// `mine` is peer memory. Collective.
    SharedReading(device::View<const std::byte> mine, PeerContext context, CallersSums sums = {})
        : context_(context), peers_(context.memory.of_all(mine)), sums_(sums) {}

    /// The earlier work of every rank's stream is then there to be read. Collective.
    void open(device::Stream& stream) {
        if (!sums_.before) {
            meet(stream, "open");
        }
    }
    /// No rank then reads any more when another writes. Collective.
    void close(device::Stream& stream) {
        if (!sums_.after) {
            meet(stream, "close");
        }
    }

    template <typename T>
    [[nodiscard]] device::View<const T> part(int rank, std::int64_t first,
                                             std::int64_t count) const {
        const auto bytes = peers_[static_cast<std::size_t>(rank)].part(bytes_of<T>(first).value,
                                                                       bytes_of<T>(count).value);
        return device::view_as<T>(bytes);
    }

  private:
    void meet(device::Stream& stream, const char* label) {
        stream.synchronize();
        const Span span(context_.track, Phase::wait, label);
        context_.memory.synchronise_memory();
        context_.comm.barrier();
        context_.memory.synchronise_memory();
    }

    PeerContext context_;
    std::vector<device::View<const std::byte>> peers_;  ///< by rank
    CallersSums sums_;
};

class PeerAllGather final : public Collective {
  public:
    PeerAllGather(const AllGatherPlan& plan, PeerContext context)
        : reading_(plan.mine, context, plan.sums),
          all_(plan.all),
          counts_(plan.counts),
          context_(context),
          in_place_(plan.mine.data() == plan.all.data() + counts_.offset(context.comm.rank())) {}

    void run(device::Stream& stream) override {
        reading_.open(stream);
        for (int step = in_place_ ? 1 : 0; step < counts_.ranks(); ++step) {
            const int rank = peer_at_step(step, context_.comm.rank(), counts_.ranks());
            context_.device.copy(reading_.part<std::byte>(rank, 0, counts_.count(rank)),
                                 all_.part(counts_.offset(rank), counts_.count(rank)), stream);
        }
        reading_.close(stream);
    }

  private:
    SharedReading reading_;
    device::View<std::byte> all_;
    RankCounts counts_;
    PeerContext context_;
    bool in_place_;  ///< this rank's part is where it belongs already
};

/// Adds in the order of the ranks. On GPUs it first copies what it adds, each rank beginning with
/// itself, so that no memory has two readers.
class PeerReduceScatter final : public Collective {
  public:
    PeerReduceScatter(const ReduceScatterPlan& plan, PeerContext context);

    void run(device::Stream& stream) override;

  private:
    [[nodiscard]] device::View<const double> part(int rank) const {
        const int me = context_.comm.rank();
        return reading_.part<double>(rank, counts_.offset(me), counts_.count(me));
    }
    [[nodiscard]] device::View<double> row(int rank) {
        return rows_.view().part((rank - 1) * mine_.size(), mine_.size());
    }
    void fetch(int rank, device::Stream& stream);

    SharedReading reading_;
    device::View<double> mine_;
    RankCounts counts_;
    PeerContext context_;
    device::Buffer<double> rows_;  ///< on GPUs: copies from ranks 1, 2, ...; a rank's own is unused
    std::vector<device::View<const double>> contributions_;  ///< to this rank's part, by rank
};

PeerReduceScatter::PeerReduceScatter(const ReduceScatterPlan& plan, PeerContext context)
    : reading_(device::as_bytes(plan.contribution), context, plan.sums),
      mine_(plan.mine),
      counts_(plan.counts),
      context_(context) {
    const bool copies = context.device.memory_kind() == device::MemoryKind::device;
    if (copies) {
        rows_ = {context.device.allocate(peer_reduce_scatter_memory(counts_.ranks(), mine_.bytes()),
                                         device::MemoryKind::device),
                 (counts_.ranks() - 1) * mine_.size()};
    }
    for (int rank = 0; rank < counts_.ranks(); ++rank) {
        const bool copied = copies && rank > 0 && rank != context.comm.rank();
        contributions_.push_back(copied ? row(rank) : part(rank));
    }
}

void PeerReduceScatter::run(device::Stream& stream) {
    reading_.open(stream);
    for (int step = 0; step < counts_.ranks(); ++step) {
        fetch(peer_at_step(step, context_.comm.rank(), counts_.ranks()), stream);
    }
    for (int rank = 1; rank < counts_.ranks(); ++rank) {
        context_.device.vectors().add(contributions_[static_cast<std::size_t>(rank)], mine_,
                                      stream);
    }
    reading_.close(stream);
}

// The first one's is what others are added to.
void PeerReduceScatter::fetch(int rank, device::Stream& stream) {
    if (rank == 0) {
        context_.device.copy(device::as_bytes(part(0)), device::as_bytes(mine_), stream);
    } else if (rows_.size() > 0 && rank != context_.comm.rank()) {
        context_.device.copy(device::as_bytes(part(rank)), device::as_bytes(row(rank)), stream);
    }
}

class PeerExchange final : public Exchange {
  public:
    PeerExchange(const ExchangePlan& plan, PeerContext context) : reading_(plan.send, context) {
        const RankCounts counts(plan.counts);
        const int me = context.comm.rank();
        for (int rank = 0; rank < counts.ranks(); ++rank) {
            const auto offsets = context.comm.gather(counts.offset(rank));
            const auto sizes = context.comm.gather(counts.count(rank));
            if (rank == me) {
                for (int from = 0; from < counts.ranks(); ++from) {
                    const auto index = static_cast<std::size_t>(from);
                    parts_.push_back(reading_.part<std::byte>(from, offsets[index], sizes[index]));
                }
            }
        }
    }

    void run(device::Stream& stream) override { reading_.open(stream); }
    [[nodiscard]] PartLocation location() const override { return PartLocation::at_sender; }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return parts_;
    }
    void release(device::Stream& stream) override { reading_.close(stream); }

  private:
    SharedReading reading_;
    std::vector<device::View<const std::byte>> parts_;
};

}  // namespace

std::unique_ptr<Collective> make_peer_all_gather(const AllGatherPlan& plan, PeerContext context) {
    return std::make_unique<PeerAllGather>(plan, context);
}

Bytes peer_reduce_scatter_memory(int ranks, Bytes mine) {
    return (ranks - 1) * mine;
}

std::unique_ptr<Collective> make_peer_reduce_scatter(const ReduceScatterPlan& plan,
                                                     PeerContext context) {
    return std::make_unique<PeerReduceScatter>(plan, context);
}

std::unique_ptr<Exchange> make_peer_exchange(const ExchangePlan& plan, PeerContext context) {
    return std::make_unique<PeerExchange>(plan, context);
}

}  // namespace quartet::comm
