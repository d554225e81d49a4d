#include <algorithm>
#include <utility>

#include "comm/transport/operations_internal.hpp"
#include "core/block_range.hpp"
#include "core/check.hpp"
#include "device/vector_operations.hpp"

// The operations, once for all transports.
namespace quartet::comm {

namespace {

using device::View;

bool in_place(const Transport& transport) {
    return transport.traits().receive == Receive::in_place;
}

/// Pieces of all senders are added in the order of their ranks: the same bits each time.
class PushByReceiver final : public Push {
  public:
    PushByReceiver(device::Arena& arena, Transport& transport, const PushPlan& plan)
        : rank_(transport.comm().rank()),
          plan_(plan),
          device_(transport.device()),
          pieces_((in_place(transport) ? make_in_place_pieces : make_message_pieces)(
              arena, transport, plan)) {}

    void run(int count, device::Stream& stream) override {
        if (count == 0 || plan_.senders.empty()) {
            return;
        }
        if (plan_.sends(rank_)) {
            pieces_->send(count, stream);
        } else if (rank_ == plan_.receiver) {
            receive_all(count, stream);
        }
    }

  private:
    void receive_all(int count, device::Stream& stream) {
        const Cut cut = pieces_->cut();
        pieces_->begin(count, stream);
        for (std::int64_t piece = 0; piece < count * cut.count(); ++piece) {
            for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
                const auto part = pieces_->take(sender);
                const auto target =
                    device::as_bytes(plan_.target).part(cut.first(piece), part.size());
                device_.vectors().add(device::view_as<float>(part), device::view_as<float>(target),
                                      stream);
                pieces_->used(sender);
            }
        }
        pieces_->end(stream);
    }

    int rank_;
    PushPlan plan_;
    device::Device& device_;
    std::unique_ptr<Pieces> pieces_;
};

/// The transport adds the vectors of all senders at the same time.
class PushByTransport final : public Push {
  public:
    PushByTransport(const device::Arena& arena, Transport& transport, const PushPlan& plan)
        : transport_(transport) {
        const int lane = transport.new_lane(arena);
        if (plan.sends(transport.comm().rank()) && !plan.source.empty()) {
            outgoing_.push_back(
                {plan.receiver, device::as_bytes(plan.source), lane, Additions::by_transport});
        }
        if (transport.comm().rank() == plan.receiver && !plan.target.empty()) {
            for (const int sender : plan.senders) {
                incoming_.push_back(
                    {sender, device::as_bytes(plan.target), lane, Additions::by_transport});
            }
        }
    }

    void run(int count, device::Stream& stream) override {
        const Span span(transport_.track(), outgoing_.empty() ? Phase::wait : Phase::push,
                        "accumulate");
        for (int push = 0; push < count; ++push) {
            Ticket ticket = transport_.start(outgoing_, incoming_, stream);
            transport_.wait(ticket, stream);
        }
    }

  private:
    Transport& transport_;
    std::vector<Outgoing> outgoing_;
    std::vector<Incoming> incoming_;
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
    ReduceScatter(device::Arena& arena, Transport& transport, const ReduceScatterPlan& plan);

    void run(device::Stream& stream) override;

  private:
    Transport& transport_;
    View<double> mine_;
    std::unique_ptr<Exchange> exchange_;
    device::Buffer<double> copies_;
    std::vector<View<double>> rows_;  ///< by rank, of `copies_`: empty if its part is not copied
    std::vector<View<const double>> parts_;  ///< by rank: what is added
};

ReduceScatter::ReduceScatter(device::Arena& arena, Transport& transport,
                             const ReduceScatterPlan& plan)
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

void ReduceScatter::run(device::Stream& stream) {
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

}  // namespace

std::unique_ptr<Push> Transport::prepare_push(device::Arena& arena, const PushPlan& plan) {
    if (traits().additions == Additions::by_transport) {
        return std::make_unique<PushByTransport>(arena, *this, plan);
    }
    return std::make_unique<PushByReceiver>(arena, *this, plan);
}

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
    return (in_place(*this) ? make_in_place_exchange : make_message_exchange)(arena, *this, plan);
}

std::unique_ptr<PayloadChannel> Transport::prepare_payload_channel(device::Arena& arena,
                                                                   const PayloadChannelPlan& plan) {
    Transport& transport = for_payloads();
    return (in_place(transport) ? make_in_place_payloads : make_message_payloads)(arena, transport,
                                                                                  plan);
}

std::unique_ptr<DeterministicAllreduce> Transport::prepare_allreduce(const device::Arena& arena,
                                                                     int most) {
    if (arena.plans()) {
        return nullptr;
    }
    if (in_place(*this)) {
        return make_in_place_allreduce(arena, *this, most);
    }
    return std::make_unique<MpiAllreduce>(comm_, most);
}

}  // namespace quartet::comm
