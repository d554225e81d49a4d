#include "comm/transport/mpi/incoming_pieces.hpp"

#include <fmt/format.h>

#include "comm/mpi/mpi_session.hpp"
#include "core/check.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

// One piece is used while the next arrives.
constexpr int pipeline_depth = 2;

// A message's count is an int.
constexpr Bytes largest_message = mebibytes(1024);

int size_of(const MPI_Status& status) {
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes));
    return bytes;
}

}  // namespace

PieceSettings pieces_of(Bytes vector, const TransportSettings& settings) {
    const bool pipeline = settings.pipeline == Pipeline::on;
    const Bytes wanted = pipeline ? std::min(settings.chunk, largest_message) : largest_message;
    const std::int64_t lines =
        std::min(wanted.value, vector.value + system::cache_line - 1) / system::cache_line;
    return {{std::max<std::int64_t>(lines, 1) * system::cache_line}, pipeline ? pipeline_depth : 1};
}

IncomingPieces::IncomingPieces(const Communicator& comm, device::Device& device, Track& track,
                               device::MemoryKind kind, const PieceSettings& settings)
    : comm_(comm),
      track_(track),
      piece_(settings.piece),
      used_at_once_(device::has_own_memory(device) ? piece_.value : kibibytes(256).value),
      memory_(device::allocate<std::byte>(device, settings.memory().value, kind)),
      slots_(static_cast<std::size_t>(settings.under_way)) {}

void IncomingPieces::post(std::int64_t number, Bytes size, int from, int tag) {
    Slot& slot = slots_[index(number)];
    slot.expected = static_cast<int>(size.value);
    check_mpi(
        MPI_Irecv(memory_.view()
                      .part(static_cast<std::int64_t>(index(number)) * piece_.value, size.value)
                      .data(),
                  slot.expected, MPI_BYTE, from, tag, comm_.handle(), &slot.request));
}

device::View<const std::byte> IncomingPieces::wait(std::int64_t number) {
    Slot& slot = slots_[index(number)];
    {
        const Span span(track_, Phase::exchange, "receive");
        if (slot.request != MPI_REQUEST_NULL) {
            MPI_Status status;
            check_mpi(MPI_Wait(&slot.request, &status));
            slot.came = size_of(status);
        }
    }
    if (slot.came != slot.expected) {
        fail(fmt::format("a message of {} bytes came instead of {}", slot.came, slot.expected));
    }
    return memory_.view().part(static_cast<std::int64_t>(index(number)) * piece_.value, slot.came);
}

void IncomingPieces::progress() {
    for (Slot& slot : slots_) {
        if (slot.request != MPI_REQUEST_NULL) {
            int arrived = 0;
            MPI_Status status;
            check_mpi(MPI_Test(&slot.request, &arrived, &status));
            slot.came = arrived != 0 ? size_of(status) : 0;
        }
    }
}

}  // namespace quartet::comm
