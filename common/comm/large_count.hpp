#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>

namespace quartet::comm {

/// An MPI datatype that spans `count` contiguous bytes, however many: MPI-3 counts are `int`, so
/// beyond `largest_count` bytes it is composed of blocks of that size and a rest. Pass it with a
/// count of 1.
class ByteType {
  public:
    explicit ByteType(std::int64_t count, std::int64_t largest_count = INT_MAX);
    ~ByteType();
    ByteType(const ByteType&) = delete;
    ByteType& operator=(const ByteType&) = delete;

    [[nodiscard]] MPI_Datatype handle() const { return handle_; }

  private:
    MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

/// The counts below are bytes or elements and may exceed 2^31; `largest_count`, where MPI's counts
/// end, is for tests. The collective operations keep tag 32767 of `comm` for themselves.

/// Blocking point-to-point transfers of whole buffers. Local (matched by the peer). Receiving
/// throws Failure where the message has another size than the buffer.
void send_bytes(std::span<const std::byte> data, int to, int tag, MPI_Comm comm,
                std::int64_t largest_count = INT_MAX);
void receive_bytes(std::span<std::byte> data, int from, int tag, MPI_Comm comm,
                   std::int64_t largest_count = INT_MAX);

/// Rank r's counts[r] bytes, concatenated by rank, everywhere. Collective.
void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all,
                      std::span<const std::int64_t> counts, MPI_Comm comm,
                      std::int64_t largest_count = INT_MAX);

/// Rank r gets send_counts[r] bytes of each rank's buffer (parts in rank order), stored in rank
/// order. Collective; the ranks first agree, by a reduction of one number, whether the counts of
/// each fit into MPI's.
void all_to_all_bytes(std::span<const std::byte> send, std::span<const std::int64_t> send_counts,
                      std::span<std::byte> receive, std::span<const std::int64_t> receive_counts,
                      MPI_Comm comm, std::int64_t largest_count = INT_MAX);

/// Element-wise sums over the ranks of vectors of sum(counts) doubles; rank r gets the r-th part,
/// counts[r] elements. `contribution` keeps its values. The same ranks and counts give the same
/// bits. Collective.
void reduce_scatter_sum(std::span<const double> contribution, std::span<double> mine,
                        std::span<const std::int64_t> counts, MPI_Comm comm,
                        std::int64_t largest_count = INT_MAX);

}  // namespace quartet::comm
