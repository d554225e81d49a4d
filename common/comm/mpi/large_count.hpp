#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// The counts and offsets of each rank's part in a collective operation, also as the ints that MPI
/// takes: made once, so that the operation allocates nothing if ints suffice. Counts are bytes
/// or elements and may exceed 2^31. Tests set `largest_count`, the largest that MPI is taken to
/// count.
class RankCounts {
  public:
    /// Throws Failure for a negative count.
    explicit RankCounts(std::vector<std::int64_t> counts, std::int64_t largest_count = INT_MAX);

    [[nodiscard]] std::int64_t count(int rank) const { return counts_[index(rank)]; }
    /// The beginning of the rank's part: the sum of the counts before it.
    [[nodiscard]] std::int64_t offset(int rank) const { return offsets_[index(rank)]; }
    [[nodiscard]] std::int64_t total() const { return total_; }
    [[nodiscard]] int ranks() const { return static_cast<int>(counts_.size()); }
    [[nodiscard]] std::int64_t largest_count() const { return largest_; }
    /// Whether MPI can count all of it.
    [[nodiscard]] bool fits() const { return total_ <= largest_; }

    /// The counts for MPI, if they fit.
    [[nodiscard]] const int* mpi_counts() const { return mpi_counts_.data(); }
    [[nodiscard]] const int* mpi_offsets() const { return mpi_offsets_.data(); }

  private:
    static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

    std::vector<std::int64_t> counts_;
    std::vector<std::int64_t> offsets_;
    std::int64_t total_;
    std::int64_t largest_;
    std::vector<int> mpi_counts_;
    std::vector<int> mpi_offsets_;
};

/// The counts that one rank sends to and receives from each rank in an all-to-all.
class ExchangeCounts {
  public:
    /// `send` by receiving rank. Collective: each rank learns what it receives.
    ExchangeCounts(std::vector<std::int64_t> send, MPI_Comm comm,
                   std::int64_t largest_count = INT_MAX);

    [[nodiscard]] const RankCounts& send() const { return send_; }
    [[nodiscard]] const RankCounts& receive() const { return receive_; }
    /// Whether MPI can count what each rank sends and receives.
    [[nodiscard]] bool fits() const { return fits_; }

  private:
    RankCounts send_;
    RankCounts receive_;
    bool fits_;
};

/// Blocking point-to-point transfers of whole buffers. Local (matched by the peer). Receiving
/// throws Failure where the message has another size than the buffer.
void send_bytes(std::span<const std::byte> data, int to, int tag, MPI_Comm comm,
                std::int64_t largest_count = INT_MAX);
void receive_bytes(std::span<std::byte> data, int from, int tag, MPI_Comm comm,
                   std::int64_t largest_count = INT_MAX);

/// The collective operations keep tag 32767 of `comm` for themselves. They throw Failure where
/// buffers and counts differ in size.

/// Rank r's part, concatenated by rank, everywhere; `mine` may be its own part of `all`.
/// Collective.
void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all,
                      const RankCounts& counts, MPI_Comm comm);

/// Parts in rank order on both sides. Collective.
void all_to_all_bytes(std::span<const std::byte> send, std::span<std::byte> receive,
                      const ExchangeCounts& counts, MPI_Comm comm);

/// Element-wise sums over the ranks of vectors of as many doubles as `counts` has in total; rank r
/// gets the r-th part. `contribution` keeps its values. The same ranks and counts give the same
/// bits. Throws Failure beyond 2^31 elements: rows of a dense matrix are fewer. Collective.
void reduce_scatter_sum(std::span<const double> contribution, std::span<double> mine,
                        const RankCounts& counts, MPI_Comm comm);

}  // namespace quartet::comm
