#include "comm/transport/mpi/mpi_messages.hpp"

#include <algorithm>

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

namespace {

constexpr int message_tag = 3;

/// Calls `work(part)` for each part of `data` that MPI can count.
template <typename Byte, typename Work>
void for_parts(device::View<Byte> data, std::int64_t largest, Work work) {
    for (std::int64_t first = 0; first < data.size(); first += largest) {
        work(data.part(first, std::min(largest, data.size() - first)));
    }
}

}  // namespace

void MpiMessages::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                           device::Stream& stream) {
    stream.synchronize();
    const Span span(track_, Phase::exchange, "messages");
    requests_.clear();
    for (const Incoming& message : incoming) {
        for_parts(message.data, largest_, [&](device::View<std::byte> part) {
            check_mpi(MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, message.from,
                                message_tag, comm_.handle(), next_request()));
        });
    }
    for (const Outgoing& message : outgoing) {
        for_parts(message.data, largest_, [&](device::View<const std::byte> part) {
            check_mpi(MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE, message.to,
                                message_tag, comm_.handle(), next_request()));
        });
    }
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
}

MPI_Request* MpiMessages::next_request() {
    requests_.push_back(MPI_REQUEST_NULL);
    return &requests_.back();
}

}  // namespace quartet::comm
