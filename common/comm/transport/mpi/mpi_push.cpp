#include "comm/transport/mpi/mpi_push.hpp"

#include <algorithm>

#include "comm/mpi/large_count.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr int push_tag = 1;
constexpr int acknowledgement_tag = 2;
// Messages that a sender offers, far more than a receiver has memory for. The receiver then finds
// its next one while the sender waits for its core: beside other processes that more than doubles
// the rate (stream/README.md).
constexpr int most_offered = 16;

// Within a node the receiver's core copies: a second piece would not come while it adds the first,
// and would take as much of its cache again.
PieceSettings push_pieces(Bytes vector, const OperationContext& here) {
    PieceSettings pieces = pieces_of(vector, here.settings);
    if (here.nodes == 1 && here.kind == device::MemoryKind::host) {
        pieces.under_way = 1;
    }
    return pieces;
}

}  // namespace

Bytes mpi_push_memory(const IncomingPushes& pushes, const OperationContext& here) {
    return pushes.senders * push_pieces(pushes.size, here).memory();
}

MpiPush::MpiPush(const PushPlan& plan, const Communicator& comm, device::Device& device,
                 Track& track, const OperationContext& here)
    : plan_(plan),
      comm_(comm),
      device_(device),
      track_(track),
      source_(device::as_bytes(plan.source)),
      chunks_(0, {}) {
    const bool receives = comm.rank() == plan.receiver;
    const Bytes vector = receives ? plan.target.bytes() : plan.source.bytes();
    const PieceSettings pieces = push_pieces(vector, here);
    chunks_ = Chunks(vector.value, pieces.piece);
    if (receives) {
        incoming_.reserve(plan.senders.size());
        for (std::size_t sender = 0; sender < plan.senders.size(); ++sender) {
            incoming_.emplace_back(comm, device, track, device.memory_kind(), pieces);
        }
    } else {
        const int offered = here.settings.pipeline == Pipeline::on ? most_offered : 1;
        requests_.assign(static_cast<std::size_t>(offered), MPI_REQUEST_NULL);
    }
}

void MpiPush::run(int count, device::Stream& stream) {
    if (chunks_.count() == 0 || count == 0 || plan_.senders.empty()) {
        return;
    }
    if (comm_.rank() == plan_.receiver) {
        receive_all(count, stream);
    } else if (plan_.sends(comm_.rank())) {
        stream.synchronize();
        send_all(count);
    }
}

void MpiPush::send_all(int count) {
    const Span span(track_, Phase::push, "send");
    for (std::int64_t chunk = 0; chunk < count * chunks_.count(); ++chunk) {
        MPI_Request& request = requests_[static_cast<std::size_t>(chunk) % requests_.size()];
        check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check_mpi(MPI_Isend(source_.data() + chunks_.first(chunk),
                            static_cast<int>(chunks_.size(chunk).value), MPI_BYTE, plan_.receiver,
                            push_tag, comm_.handle(), &request));
    }
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    receive_bytes({}, plan_.receiver, acknowledgement_tag, comm_.handle());
}

void MpiPush::post(std::size_t sender, std::int64_t chunk) {
    incoming_[sender].post(chunk, chunks_.size(chunk), plan_.senders[sender], push_tag);
}

void MpiPush::add(std::size_t sender, std::int64_t chunk, device::Stream& stream) {
    const auto target =
        device::as_bytes(plan_.target).part(chunks_.first(chunk), chunks_.size(chunk).value);
    incoming_[sender].use(
        chunk, [&](std::int64_t first, const device::View<const std::byte>& part) {
            device_.vectors().add(device::view_as<float>(part),
                                  device::view_as<float>(target.part(first, part.size())), stream);
            stream.synchronize();
        });
}

void MpiPush::receive_all(int count, device::Stream& stream) {
    const std::int64_t total = count * chunks_.count();
    const std::int64_t ahead = std::min<std::int64_t>(incoming_.front().under_way(), total);
    for (std::int64_t chunk = 0; chunk < ahead; ++chunk) {
        for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
            post(sender, chunk);
        }
    }
    for (std::int64_t chunk = 0; chunk < total; ++chunk) {
        for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
            add(sender, chunk, stream);
            if (chunk + ahead < total) {
                post(sender, chunk + ahead);
            }
        }
    }
    for (const int sender : plan_.senders) {
        send_bytes({}, sender, acknowledgement_tag, comm_.handle());
    }
}

}  // namespace quartet::comm
