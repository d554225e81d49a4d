#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quartet::comm {

/// An MPI communicator of its own (duplicated or split), freed at the end, and the few collective
/// operations that set-up, agreement and measurement need. Bulk data goes by a Transport.
/// All members are collective unless they say "local"; errors are returned to check_mpi, never
/// left to MPI's own abort. While an exception unwinds the communicator is left to the job's end,
/// since freeing it is collective.
class Communicator {
  public:
    /// A message's count is an int: longer ones go in several.
    static constexpr std::int64_t largest_message = std::int64_t{1} << 30;

    /// A duplicate of MPI_COMM_WORLD.
    static Communicator world();

    Communicator(Communicator&& other) noexcept;
    Communicator& operator=(Communicator&& other) noexcept;
    ~Communicator();

    [[nodiscard]] Communicator duplicate() const;
    /// Ranks of one `colour` together, ordered by their rank here.
    [[nodiscard]] Communicator split(int colour) const;
    /// Ranks that can share memory.
    [[nodiscard]] Communicator split_by_node() const;

    [[nodiscard]] int rank() const { return rank_; }           ///< local
    [[nodiscard]] int size() const { return size_; }           ///< local
    [[nodiscard]] MPI_Comm handle() const { return handle_; }  ///< local

    void barrier() const;

    /// Whether the condition holds on every rank.
    [[nodiscard]] bool all(bool condition) const;
    /// Whether the condition holds on at least one rank.
    [[nodiscard]] bool any(bool condition) const;

    /// One value of each rank, by rank, everywhere.
    [[nodiscard]] std::vector<double> gather(double value) const;
    [[nodiscard]] std::vector<std::int64_t> gather(std::int64_t value) const;
    /// Each rank's bytes, of any size, by rank, to the parts of `all` that `sizes` says.
    void gather(std::span<const std::byte> mine, const std::vector<std::int64_t>& sizes,
                std::span<std::byte> all, std::int64_t largest = largest_message) const;
    /// Texts may have any length.
    [[nodiscard]] std::vector<std::string> gather(const std::string& text) const;
    /// Texts of any length by rank, on rank 0 alone; none elsewhere.
    [[nodiscard]] std::vector<std::string> gather_to_root(const std::string& text) const;
    /// Each rank's equally long row of values, concatenated by rank.
    [[nodiscard]] std::vector<double> gather(std::span<const double> values) const;

    /// Values gathered and added in rank order, so that every rank has the same bits.
    [[nodiscard]] double sum(double value) const;
    /// Sums several values at once, in place: one reduction. Allocates only if a call has
    /// more values than any before it.
    void sum(std::span<double> values) const;
    /// The extremes over the ranks; NaN where any rank's value is NaN, so that none is hidden.
    [[nodiscard]] double maximum(double value) const;
    [[nodiscard]] double minimum(double value) const;

    /// The largest of each of several values, at once and in place; none may be NaN.
    void maxima(std::span<double> values) const;

    /// The root's value, everywhere.
    [[nodiscard]] double broadcast(double value, int root) const;
    [[nodiscard]] std::string broadcast(const std::string& text, int root) const;

    /// The message of the lowest rank that has one, everywhere. For work that throws: agree().
    [[nodiscard]] std::optional<std::string> first(const std::optional<std::string>& message) const;

  private:
    explicit Communicator(MPI_Comm handle);

    void free() noexcept;
    void gather_row(double value) const;

    MPI_Comm handle_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 0;
    int exceptions_;  ///< how many were in flight at construction
    /// One value of each rank: sums inside timed steps must not allocate.
    mutable std::vector<double> row_;
    mutable std::vector<double> rows_;  ///< several values of each rank
};

}  // namespace quartet::comm
