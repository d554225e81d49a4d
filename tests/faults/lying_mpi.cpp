#include <mpi.h>

#include <list>
#include <numeric>
#include <vector>

#include "tests/faults/lie.hpp"

// An MPI that lies about messages (lie.hpp), by the profiling interface. Messages of derived types
// are packed before they are changed; a receiver takes packed ones as its own type.

using namespace quartet;

namespace {

std::int64_t bytes_of(MPI_Datatype type) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    return bytes;
}

/// A changed message and how to send it.
struct Packed {
    std::vector<std::byte> bytes;
    int size = 0;
};

// The changed copy of a message; nothing if it stays. Copies are kept, since MPI may read one until
// the end of the job.
const Packed* changed(const void* data, int count, MPI_Datatype type, MPI_Comm comm) {
    static std::list<Packed> copies;
    faults::Lie& lie = faults::Lie::of_process();
    if (!lie.is_told("message", count * bytes_of(type))) {
        return nullptr;
    }
    int room = 0;
    PMPI_Pack_size(count, type, comm, &room);
    Packed& copy = copies.emplace_back();
    copy.bytes.resize(static_cast<std::size_t>(room));
    PMPI_Pack(data, count, type, copy.bytes.data(), room, &copy.size, comm);
    lie.tell(std::span(copy.bytes).first(static_cast<std::size_t>(copy.size)));
    return &copy;
}

// What a collective operation has brought, of a type without gaps.
void change_received(void* data, std::int64_t count, MPI_Datatype type) {
    faults::Lie& lie = faults::Lie::of_process();
    const std::int64_t bytes = count * bytes_of(type);
    if (lie.is_told("message", bytes)) {
        lie.tell(std::span(static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)));
    }
}

// Blocks without gaps between them.
std::int64_t sum_over_ranks(const int* counts, MPI_Comm comm) {
    int ranks = 0;
    PMPI_Comm_size(comm, &ranks);
    return std::accumulate(counts, counts + ranks, std::int64_t{0});
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): MPI's names

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    if (const Packed* told = changed(data, count, type, comm)) {
        return PMPI_Isend(told->bytes.data(), told->size, MPI_PACKED, to, tag, comm, request);
    }
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    if (const Packed* told = changed(data, count, type, comm)) {
        return PMPI_Send(told->bytes.data(), told->size, MPI_PACKED, to, tag, comm);
    }
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int send_tag,
                 void* received, int most, MPI_Datatype received_type, int from, int tag,
                 MPI_Comm comm, MPI_Status* status) {
    if (const Packed* told = changed(data, count, type, comm)) {
        return PMPI_Sendrecv(told->bytes.data(), told->size, MPI_PACKED, to, send_tag, received,
                             most, received_type, from, tag, comm, status);
    }
    return PMPI_Sendrecv(data, count, type, to, send_tag, received, most, received_type, from, tag,
                         comm, status);
}

int MPI_Accumulate(const void* data, int count, MPI_Datatype type, int to, MPI_Aint place,
                   int to_count, MPI_Datatype to_type, MPI_Op operation, MPI_Win window) {
    // Packed, a type without gaps has its own bytes.
    const Packed* told = changed(data, count, type, MPI_COMM_WORLD);
    return PMPI_Accumulate(told != nullptr ? told->bytes.data() : data, count, type, to, place,
                           to_count, to_type, operation, window);
}

int MPI_Alltoall(const void* data, int count, MPI_Datatype type, void* received, int received_count,
                 MPI_Datatype received_type, MPI_Comm comm) {
    const int code =
        PMPI_Alltoall(data, count, type, received, received_count, received_type, comm);
    int ranks = 0;
    PMPI_Comm_size(comm, &ranks);
    change_received(received, std::int64_t{received_count} * ranks, received_type);
    return code;
}

int MPI_Alltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type,
                  void* received, const int* received_counts, const int* received_places,
                  MPI_Datatype received_type, MPI_Comm comm) {
    const int code = PMPI_Alltoallv(data, counts, places, type, received, received_counts,
                                    received_places, received_type, comm);
    change_received(received, sum_over_ranks(received_counts, comm), received_type);
    return code;
}

int MPI_Allgatherv(const void* data, int count, MPI_Datatype type, void* received,
                   const int* received_counts, const int* received_places,
                   MPI_Datatype received_type, MPI_Comm comm) {
    const int code = PMPI_Allgatherv(data, count, type, received, received_counts, received_places,
                                     received_type, comm);
    change_received(received, sum_over_ranks(received_counts, comm), received_type);
    return code;
}

int MPI_Reduce_scatter(const void* data, void* received, const int* received_counts,
                       MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
    const int code = PMPI_Reduce_scatter(data, received, received_counts, type, operation, comm);
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    change_received(received, received_counts[rank], type);
    return code;
}

// NOLINTEND(readability-identifier-naming)
}
