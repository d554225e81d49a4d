#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// Owns an MPI communicator, and has the few collective operations that set-up,
/// agreement and measurement need. Bulk data goes by a Transport. All members are collective unless
/// they say "local"; errors are returned to check_mpi, never left to MPI's own abort. While an
/// exception unwinds the communicator is left to the job's end, since freeing it is collective.
class Communicator {
  public:
    /// MPI counts a message by an int: longer data goes in several messages.
    static constexpr std::int64_t largest_message = std::int64_t{1} << 30;

    /// A duplicate of MPI_COMM_WORLD.
    static Communicator world();

    Communicator(Communicator&& other) noexcept;
    Communicator& operator=(Communicator&&) = delete;
    ~Communicator();

    [[nodiscard]] Communicator duplicate() const;
    /// A communicator of the ranks that can share memory with this one.
    [[nodiscard]] Communicator split_by_node() const;

    [[nodiscard]] int rank() const { return rank_; }           ///< local
    [[nodiscard]] int size() const { return size_; }           ///< local
    [[nodiscard]] MPI_Comm handle() const { return handle_; }  ///< local

    void barrier() const;

    /// Whether the condition holds on every rank.
    [[nodiscard]] bool all(bool condition) const;
    /// Whether the condition holds on at least one rank.
    [[nodiscard]] bool any(bool condition) const { return !all(!condition); }

    /// Gives every rank the values of all ranks, by rank.
    [[nodiscard]] std::vector<double> gather(double value) const { return gather({&value, 1}); }
    [[nodiscard]] std::vector<std::int64_t> gather(std::int64_t value) const;
    /// Each rank's equally long row of values, concatenated by rank.
    [[nodiscard]] std::vector<double> gather(std::span<const double> values) const;
    /// Gathers each rank's sizes[rank] bytes into consecutive parts of `all`, by rank. `sizes` is
    /// the same on all ranks.
    void gather(std::span<const std::byte> mine, const std::vector<std::int64_t>& sizes,
                std::span<std::byte> all) const;
    /// Texts may have any length.
    [[nodiscard]] std::vector<std::string> gather(const std::string& text) const;
    /// The texts, of any length, by rank, on rank 0; an empty list on other ranks.
    [[nodiscard]] std::vector<std::string> gather_to_root(const std::string& text) const;

    /// Values gathered and added in rank order, so that every rank has the same bits.
    [[nodiscard]] double sum(double value) const {
        sum({&value, 1});
        return value;
    }
    /// Sums several values at once, in place: one reduction. Allocates only if a call has
    /// more values than any before it.
    void sum(std::span<double> values) const;
    /// The extremes over the ranks; NaN where any rank's value is NaN, so that none is hidden.
    [[nodiscard]] double maximum(double value) const;
    [[nodiscard]] double minimum(double value) const { return -maximum(-value); }

    /// Gives every rank the root's value.
    [[nodiscard]] double broadcast(double value, int root) const;
    [[nodiscard]] std::string broadcast(const std::string& text, int root) const;

    /// Gives every rank the message of the lowest rank that has one. For work that throws: agree().
    [[nodiscard]] std::optional<std::string> first(const std::optional<std::string>& message) const;

  private:
    explicit Communicator(MPI_Comm handle);

    /// The values of all ranks, by rank, until the next call.
    [[nodiscard]] std::span<const double> rows_of(std::span<const double> values) const;

    MPI_Comm handle_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 0;
    int exceptions_;  ///< how many were in flight at construction
    /// Values of each rank, at least one: sums inside timed steps must not allocate.
    mutable std::vector<double> rows_;
};

/// Does local work that may fail on some ranks only. Returns, on all ranks, the message of the
/// UsageError or Failure of the lowest rank that has one; nothing if none has. Unavailable
/// passes through, since all ranks throw it alike. Collective; `work` itself makes no collective
/// call that a failing rank would miss.
template <typename Work>
std::optional<std::string> first_problem(const Communicator& comm, Work work) {
    std::optional<std::string> problem;
    try {
        work();
    } catch (const UsageError& error) {
        problem = error.what();
    } catch (const Failure& error) {
        problem = error.what();
    }
    return comm.first(problem);
}

/// Does local work that may fail on some ranks only, and throws `Agreed` on all ranks where
/// first_problem() finds one: so no rank goes on alone. Collective.
template <typename Agreed = Failure, typename Work>
void agree(const Communicator& comm, Work work) {
    if (const auto problem = first_problem(comm, work)) {
        throw Agreed(*problem);
    }
}

/// How far rank 0's clock is ahead of this rank's. A rank answers several messages with its time;
/// the quickest round trip counts, with the answer in its middle (Cristian, Probabilistic clock
/// synchronization, 1989). The error is at most half of that round trip. More than 64 ranks are
/// compared in groups of about sqrt(P), so that only about 2 sqrt(P) ranks wait for one another:
/// the first rank of each group with rank 0, then, in all groups at the same time, the others with
/// their first. The two differences and their errors add up. Collective.
ClockReading compare_with_root(const Communicator& comm);

}  // namespace quartet::comm
