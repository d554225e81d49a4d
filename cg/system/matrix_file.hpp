#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "cg/problem/linear_system.hpp"
#include "cg/system/block_folder.hpp"
#include "comm/mpi/communicator.hpp"
#include "core/block_range.hpp"

namespace quartet::cg {

/// A user's matrix of float64, symmetric and positive definite.
///
/// In one file: x is uniform in [-1, 1), and b = A x. The matrix is taken times a power of two that
/// brings its largest element between 1/2 and 1: no bit of x depends on that, and neither huge nor
/// tiny matrices make sums overflow or vanish.
///
/// In a folder of blocks: b is the user's own, and nobody knows x. Both are taken as they are.
///
/// Making it checks that all elements are finite and that the matrix is symmetric: A x and A' x may
/// differ by rounding only, for a random x. The diagonal must be positive; whether the matrix is
/// positive definite shows while solving.
class MatrixFile final : public LinearSystem {
  public:
    /// Rows and columns of the matrix in `file`. Throws NpyError unless it is a square one of
    /// float64. Local.
    static std::int64_t size_in(const std::filesystem::path& file);
    /// Temporary memory of the constructor, and of multiply().
    static Bytes memory(std::int64_t size, int ranks);

    /// Reads the file twice, each rank its rows. Throws UsageError that says what is wrong with
    /// it, on all ranks alike.
    /// Collective over `world`, which outlives it.
    MatrixFile(const std::filesystem::path& file, const comm::Communicator& world,
               std::uint64_t seed);
    /// The same for a user's own folder, which has been verified; `seed` draws the x of the check.
    MatrixFile(const BlockFolder& folder, const std::filesystem::path& path, std::int64_t size,
               const comm::Communicator& world, std::uint64_t seed);

    [[nodiscard]] std::int64_t size() const override { return size_; }
    void read_row(std::int64_t row, std::int64_t first_column,
                  std::span<double> out) const override;
    [[nodiscard]] std::span<const double> right_side() const override { return right_side_; }
    [[nodiscard]] std::span<const long double> solution() const override { return solution_; }
    [[nodiscard]] bool has_even_right_side() const override { return !solution_.empty(); }
    [[nodiscard]] std::uint64_t fingerprint() const override { return fingerprint_; }
    /// Multiplies by the elements of the file, one by one; each rank reads its rows.
    void multiply(std::span<const long double> x, std::span<long double> product) const override;
    /// The Frobenius norm, which is at least the largest; x'A x / x'x, which is at least the
    /// smallest, and all that is known of it.
    [[nodiscard]] Spectrum spectrum() const override { return spectrum_; }
    /// One: each takes all of the matrix.
    [[nodiscard]] int affordable_products() const override { return 1; }

  private:
    using ReadRow =
        std::function<void(std::int64_t row, std::int64_t first_column, std::span<double> out)>;
    using UseRow = std::function<void(std::int64_t row, std::span<const double> elements)>;

    MatrixFile(std::filesystem::path path, std::int64_t size, ReadRow read,
               const comm::Communicator& world, std::uint64_t seed);
    void for_each_row(const UseRow& use) const;
    [[nodiscard]] int exponent_of_largest() const;
    void find_right_side();
    void require_symmetric(std::span<const long double> product,
                           std::span<const long double> mirrored) const;
    [[noreturn]] void refuse(const std::string& why) const;

    std::filesystem::path file_;
    const comm::Communicator& world_;
    std::int64_t size_;
    ReadRow read_;
    Range rows_;
    int exponent_ = 0;  ///< the matrix is taken times 2^-exponent
    std::vector<long double> solution_;
    std::vector<double> right_side_;
    Spectrum spectrum_;
    std::uint64_t fingerprint_ = 0;
};

}  // namespace quartet::cg
