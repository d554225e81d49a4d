#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bench/data/tile_folder.hpp"
#include "bench/session/session.hpp"
#include "cg/problem.hpp"

namespace quartet::cg {

/// Bounds of a matrix's eigenvalues.
struct Spectrum {
    double smallest = 0;
    double largest = 0;
};

/// A symmetric positive definite system A x = b of N unknowns. All members are local and give the
/// same on all ranks.
class LinearSystem {
  public:
    virtual ~LinearSystem() = default;

    [[nodiscard]] std::int64_t size() const { return std::ssize(right_side_); }
    /// b and x.
    [[nodiscard]] std::span<const double> right_side() const { return right_side_; }
    [[nodiscard]] std::span<const long double> solution() const { return solution_; }
    /// Whether b is A times numbers of similar size: then the residual shows a wrong product of any
    /// row.
    [[nodiscard]] bool has_even_right_side() const { return even_; }
    [[nodiscard]] const Spectrum& spectrum() const { return spectrum_; }

    /// Elements [first_column, first_column + out.size()) of a row of A. Threads may call it
    /// together.
    virtual void read_row(std::int64_t row, std::int64_t first_column,
                          std::span<double> out) const = 0;
    /// product = A x by another way than the measured one, more exact than double.
    virtual void multiply(std::span<const long double> x, std::span<long double> product) const = 0;

  protected:
    std::vector<double> right_side_;
    std::vector<long double> solution_;
    Spectrum spectrum_;
    bool even_ = false;
};

/// The paper's system (VI.C): the second difference (-1, 2, -1), stored dense, and
/// b_i = sin(2 pi i / N) (2 pi / N)^2 for i from 0 on. b is close to an eigenvector, so that the
/// first steps already bring x close to the solution; the condition number is about (2 N / pi)^2.
class Laplace final : public LinearSystem {
  public:
    explicit Laplace(std::int64_t size);

    void read_row(std::int64_t row, std::int64_t first_column,
                  std::span<double> out) const override;
    /// Multiplies by the three-point stencil.
    void multiply(std::span<const long double> x, std::span<long double> product) const override;
};

/// A dense random system of known spectrum: A = H D H with the reflection H = I - 2 v v' / (v'v) of
/// a random v, and D = kappa^(i / (N - 1)), i from 0 to N - 1. A is D but for a symmetric matrix of
/// rank two, so that any element takes O(1) and a product O(N) operations. x is uniform in [-1, 1),
/// and b = A x.
///
/// kappa = 4096: conjugate gradients lower the error at least to 2 ((64 - 1) / (64 + 1))^500 = 3e-7
/// of what it was in 500 iterations (1e-8 were measured for N = 8192), so that the last iterations
/// still do necessary work.
class RandomSystem final : public LinearSystem {
  public:
    static constexpr double condition = 4096;

    RandomSystem(std::int64_t size, std::uint64_t seed);

    /// Elements (i, j) and (j, i) have the same bits.
    void read_row(std::int64_t row, std::int64_t first_column,
                  std::span<double> out) const override;
    /// Multiplies as H (D (H x)).
    void multiply(std::span<const long double> x, std::span<long double> product) const override;

  private:
    void split_rank_two_part();
    void reflect(std::span<long double> x) const;

    std::vector<double> eigenvalues_;
    std::vector<double> normal_;  ///< v
    long double factor_;          ///< 2 / (v'v)
    /// A = D - sum sum' + difference difference'.
    std::vector<double> sum_;
    std::vector<double> difference_;
};

/// The problem's system. Local.
std::unique_ptr<LinearSystem> make_system(const Problem& problem, std::uint64_t seed);

/// Memory of that system on a rank: RandomSystem has more than Laplace, six vectors of doubles and
/// two of long doubles. Local.
inline Bytes system_memory(const Problem& problem) {
    return (6 * 8 + 2 * 16) * Bytes{problem.size};
}

/// A system in files: `A-r.npy` has the rows of A that rank r of the job has, `b-r.npy` its rows of
/// b.
class SystemFiles {
  public:
    /// The folder of --data. With --generate makes the files that are missing; checks all files:
    /// before there is a matrix, since both take memory. Throws UsageError that names a wrong file,
    /// or unless the folder has, or can get, the data of this problem for as many ranks.
    /// Collective; local without a system, and then without the files, while a case is planned.
    SystemFiles(bench::Session& session, const Problem& problem, const bench::DataOptions& data,
                const LinearSystem* system);

    /// The temporary memory that making and checking take: the largest file.
    [[nodiscard]] Bytes memory() const;

    /// Elements of a row of A; rows of b. Throw NpyError. Threads may call them together. Local.
    void read_row(std::int64_t row, std::int64_t first_column, std::span<double> out) const;
    void read_right_side(std::int64_t first_row, std::span<double> out) const;

    /// Writes a rank's rows of the solution, `X-r.npy`, and removes files that a job of more ranks
    /// has left there. Local.
    static void write_solution(const std::filesystem::path& folder, const comm::Communicator& world,
                               std::span<const double> rows);

  private:
    void fill(const bench::TileFile& file, const LinearSystem& system,
              std::span<double> elements) const;
    [[nodiscard]] Range rows_of(std::int64_t block) const;
    [[nodiscard]] std::int64_t block_of(std::int64_t row) const;

    std::int64_t size_;
    int blocks_;
    bench::TileFolder<double> files_;
};

/// Elements of the named array, uniform in [-1, 1).
std::vector<double> symmetric_uniform(std::int64_t size, std::uint64_t seed, std::string_view name);

/// x . y, added one product after the other.
template <typename T, typename U>
long double dot(std::span<const T> x, std::span<const U> y) {
    long double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += static_cast<long double>(x[i]) * y[i];
    }
    return sum;
}

}  // namespace quartet::cg
