#include <algorithm>

#include "comm/transport/operations_internal.hpp"
#include "core/block_range.hpp"
#include "core/check.hpp"

// Exchanges, and the collective operations that are built on them, once for all transports. In each
// class the transport either copies, by start() and wait(), or reads in place, by of_all().
namespace quartet::comm {

namespace {

using device::View;

bool in_place(const Transport& transport) {
    return transport.traits().receive == Receive::in_place;
}

class MessageExchange final : public Exchange {
  public:
    MessageExchange(device::Arena& arena, Transport& transport, const ExchangePlan& plan)
        : transport_(transport) {
        const Communicator& comm = transport.comm();
        const int lane = transport.new_lane(arena);
        std::int64_t total = 0;
        for (int from = 0; plan.land.empty() && from < comm.size(); ++from) {
            total += from == comm.rank() ? 0 : plan.receive[index(from)];
        }
        received_ = arena.make<std::byte>(total);
        arena.reserve({(transport.traits().copies - 1) * total}, received_.view().kind());
        std::int64_t next = 0;
        for (int step = 0; step < comm.size();
             ++step) {  // so that not all send to one rank at a time
            const int to = (comm.rank() + step) % comm.size();
            if (const auto& part = plan.send[index(to)]; to != comm.rank() && !part.empty()) {
                outgoing_.push_back({to, part, lane});
            }
        }
        for (int from = 0; from < comm.size(); ++from) {
            const std::int64_t size = plan.receive[index(from)];
            if (from == comm.rank()) {
                parts_.push_back(plan.send[index(from)]);
                continue;
            }
            const View<std::byte> place =
                plan.land.empty() ? received_.view().part(std::exchange(next, next + size), size)
                                  : plan.land[index(from)];
            check(place.size() == size, "exchange: a part is of another size than its place");
            parts_.emplace_back(place);
            if (size > 0) {
                incoming_.push_back({from, place, lane});
            }
        }
    }

    void run(device::Stream& stream) override {
        const Span span(transport_.track(), Phase::exchange, "messages");
        Ticket ticket = transport_.start(outgoing_, incoming_, stream);
        transport_.wait(ticket, stream);
    }
    [[nodiscard]] std::span<const View<const std::byte>> parts() const override { return parts_; }
    void release(device::Stream& /*stream*/) override {}  // start() comes after the stream's work

  private:
    Transport& transport_;
    device::Buffer<std::byte> received_;
    std::vector<Outgoing> outgoing_;
    std::vector<Incoming> incoming_;
    std::vector<View<const std::byte>> parts_;
};

class InPlaceExchange final : public Exchange {
  public:
    InPlaceExchange(const device::Arena& arena, Transport& transport, const ExchangePlan& plan)
        : barriers_(plan.barriers), track_(transport.track()), flags_(arena, transport) {
        const int me = transport.comm().rank();
        for (const std::int64_t size : plan.receive) {
            parts_.emplace_back(nullptr, size, transport.device().memory_kind());
        }
        if (arena.plans()) {
            return;
        }
        for (int reader = 0; reader < transport.comm().size(); ++reader) {
            auto offered = transport.of_all(plan.send[index(reader)]);
            if (reader == me) {
                parts_ = std::move(offered);
            } else if (!plan.send[index(reader)].empty()) {
                readers_.push_back(reader);
            }
        }
        for (int sender = 0; sender < transport.comm().size(); ++sender) {
            const std::int64_t size = parts_[index(sender)].size();
            check(sender == me || size == plan.receive[index(sender)],
                  "exchange: a part is of another size than its receiver expects");
            if (sender != me && size > 0) {
                senders_.push_back(sender);
            }
        }
    }

    void run(device::Stream& stream) override {
        ++run_;
        if (barriers_.before) {
            return;
        }
        stream.synchronize();
        const Span span(track_, Phase::wait, "open");
        flags_.mine().written.set(run_);
        for (const int sender : senders_) {
            flags_.of(sender).written.await(run_);
        }
    }
    [[nodiscard]] std::span<const View<const std::byte>> parts() const override { return parts_; }
    void release(device::Stream& stream) override {
        if (barriers_.after) {
            return;
        }
        stream.synchronize();
        const Span span(track_, Phase::wait, "close");
        flags_.mine().read.set(run_);
        for (const int reader : readers_) {
            flags_.of(reader).read.await(run_);
        }
    }

  private:
    struct Flags {
        Line written;  ///< runs for which this rank has written its parts
        Line read;     ///< runs whose parts this rank has read
    };

    CallerBarriers barriers_;
    Track& track_;
    OfRanks<Flags> flags_;
    std::vector<View<const std::byte>> parts_;
    std::vector<int> senders_;
    std::vector<int> readers_;
    std::int64_t run_ = 0;
};

/// An exchange in which each rank sends one part to all, and has a place for each rank's part.
class AllGather final : public Collective {
  public:
    AllGather(device::Arena& arena, Transport& transport, const AllGatherPlan& plan)
        : transport_(transport),
          places_(consecutive(plan.all, plan.counts)),
          exchange_(transport.prepare_exchange(arena, {std::vector(plan.counts.size(), plan.mine),
                                                       plan.counts, places_, plan.barriers})) {}

    void run(device::Stream& stream) override {
        const Communicator& comm = transport_.comm();
        exchange_->run(stream);
        for (int step = 0; step < comm.size(); ++step) {
            const std::size_t rank = index(peer_at_step(step, comm.rank(), comm.size()));
            if (exchange_->parts()[rank].data() != places_[rank].data()) {
                transport_.device().copy(exchange_->parts()[rank], places_[rank], stream);
            }
        }
        exchange_->release(stream);
    }

  private:
    Transport& transport_;
    std::vector<View<std::byte>> places_;
    std::unique_ptr<Exchange> exchange_;
};

/// Adds in the order of the ranks. A GPU first copies the parts in other GPUs' memory; each rank
/// begins with its own part, so that no memory has two readers.
class ReduceScatter final : public Collective {
  public:
    ReduceScatter(device::Arena& arena, Transport& transport, const ReduceScatterPlan& plan)
        : transport_(transport), mine_(plan.mine) {
        ExchangePlan parts{.send = {},
                           .receive = std::vector(plan.counts.size(), mine_.bytes().value),
                           .land = {},
                           .barriers = plan.barriers};
        for (const auto& part : consecutive(plan.contribution, plan.counts)) {
            parts.send.push_back(device::as_bytes(part));
        }
        exchange_ = transport.prepare_exchange(arena, parts);
        const int ranks = transport.comm().size();
        const bool copies = in_place(transport) && device::has_own_memory(transport.device());
        copies_ = arena.make<double>(copies ? (ranks - 1) * mine_.size() : 0);
        for (int rank = 0; rank < ranks; ++rank) {
            const auto part = device::view_as<double>(exchange_->parts()[index(rank)]);
            const bool copied = copies && rank > 0 && rank != transport.comm().rank();
            rows_.push_back(copied ? copies_.view().part((rank - 1) * mine_.size(), mine_.size())
                                   : View<double>());
            parts_.emplace_back(copied ? View<const double>(rows_.back()) : part);
        }
    }

    void run(device::Stream& stream) override {
        const Communicator& comm = transport_.comm();
        device::Device& device = transport_.device();
        exchange_->run(stream);
        for (int step = 0; step < comm.size(); ++step) {
            const int rank = peer_at_step(step, comm.rank(), comm.size());
            if (rank == 0) {
                device.copy(device::as_bytes(parts_[0]), device::as_bytes(mine_), stream);
            } else if (!rows_[index(rank)].empty()) {
                device.copy(exchange_->parts()[index(rank)], device::as_bytes(rows_[index(rank)]),
                            stream);
            }
        }
        for (int rank = 1; rank < comm.size(); ++rank) {
            device.vectors().add(parts_[index(rank)], mine_, stream);
        }
        exchange_->release(stream);
    }

  private:
    Transport& transport_;
    View<double> mine_;
    std::unique_ptr<Exchange> exchange_;
    device::Buffer<double> copies_;
    std::vector<View<double>> rows_;  ///< by rank, of `copies_`: empty if its part is not copied
    std::vector<View<const double>> parts_;  ///< by rank: what is added
};

/// Gathers all shares by MPI; then every rank adds them.
class MpiAllreduce final : public DeterministicAllreduce {
  public:
    MpiAllreduce(const Communicator& comm, int most) : comm_(comm) {
        std::vector<double> first(static_cast<std::size_t>(most));
        comm_.sum(first);  // allocates: later sums need not
    }

    void run(std::span<double> values) override { comm_.sum(values); }

  private:
    const Communicator& comm_;
};

class InPlaceAllreduce final : public DeterministicAllreduce {
  public:
    InPlaceAllreduce(const device::Arena& arena, Transport& transport, int most)
        : shares_(arena, transport), sum_(shares_.mine(), shares_.all()) {
        check(most <= std::ssize(SharedShares::Line().values), "more sums than fit a cache line");
    }

    void run(std::span<double> values) override { sum_.run(values); }

  private:
    OfRanks<SharedShares> shares_;
    SharedSum sum_;
};

}  // namespace

std::unique_ptr<Collective> Transport::prepare_all_gather(device::Arena& arena,
                                                          const AllGatherPlan& plan) {
    return std::make_unique<AllGather>(arena, *this, plan);
}

std::unique_ptr<Collective> Transport::prepare_reduce_scatter(device::Arena& arena,
                                                              const ReduceScatterPlan& plan) {
    return std::make_unique<ReduceScatter>(arena, *this, plan);
}

std::unique_ptr<Exchange> Transport::prepare_exchange(device::Arena& arena,
                                                      const ExchangePlan& plan) {
    check(std::ssize(plan.send) == comm_.size() && std::ssize(plan.receive) == comm_.size(),
          "an exchange needs one part for each rank");
    if (in_place(*this)) {
        return std::make_unique<InPlaceExchange>(arena, *this, plan);
    }
    return std::make_unique<MessageExchange>(arena, *this, plan);
}

void SharedSum::run(std::span<double> values) {
    const auto line = static_cast<std::size_t>(++sums_ % 2);
    SharedShares::Line& mine = mine_.lines[line];
    std::ranges::copy(values, mine.values.begin());
    mine.sum.store(sums_, std::memory_order_release);
    std::ranges::fill(values, 0.0);
    for (const SharedShares* shares : all_) {
        const SharedShares::Line& theirs = shares->lines[line];
        wait_until(theirs.sum, sums_);
        for (std::size_t index = 0; index < values.size(); ++index) {
            values[index] += theirs.values[index];
        }
    }
}

std::unique_ptr<DeterministicAllreduce> Transport::prepare_allreduce(const device::Arena& arena,
                                                                     int most) {
    if (arena.plans()) {
        return nullptr;
    }
    if (in_place(*this)) {
        return std::make_unique<InPlaceAllreduce>(arena, *this, most);
    }
    return std::make_unique<MpiAllreduce>(comm_, most);
}

}  // namespace quartet::comm
