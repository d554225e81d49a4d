#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "device/arena.hpp"

namespace quartet::cg {

/// Rows [first_row, first_row + rows) of a dense matrix of `columns` columns.
struct RowBlock {
    std::int64_t first_row = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// One of `parts` nearly equal parts of the upper triangle of a symmetric matrix with `size` rows
/// and columns. Each element belongs to one part.
struct TrianglePart {
    std::int64_t size = 0;
    int parts = 1;
    int part = 0;
};

using MatrixPart = std::variant<RowBlock, TrianglePart>;

/// Writes elements [first_column, first_column + out.size()) of a row of the whole matrix. Several
/// threads call it at once.
using ReadRow =
    std::function<void(std::int64_t row, std::int64_t first_column, std::span<double> out)>;

/// An iteration whose sums no positive definite matrix gives.
struct Breakdown {
    std::int64_t iteration = 0;  ///< the first is 1
    double curvature = 0;        ///< p.Ap
    double residual_dot = 0;
};

/// All that the iterations need to go on. Vectors are this rank's rows; scalars are the same on all
/// ranks.
struct IterationState {
    device::View<double> solution;   ///< x
    device::View<double> residual;   ///< r, by recurrence
    device::View<double> direction;  ///< p
    double residual_dot = 0;         ///< r . r
    double alpha = 0;                ///< of the last iteration; 0: the next p is r
    std::int64_t done = 0;           ///< iterations so far
    /// The first breakdown, from which on alpha is 0; always empty on ranks that do not compute
    /// alpha.
    std::optional<Breakdown> breakdown;
};

// The scalars of conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, 6.7), by
// functions that the host and GPUs call.

/// Smaller numbers are subnormal: they have lost digits.
inline constexpr double smallest_normal = std::numeric_limits<double>::min();

constexpr bool is_finite(double value) {
    return value - value == 0;  // NOLINT(misc-redundant-expression): neither of infinity nor of NaN
}

/// Whether r.r and p.Ap can be those of a positive definite matrix.
constexpr bool are_of_positive_definite(double residual_dot, double curvature) {
    return is_finite(residual_dot) && curvature > -smallest_normal && is_finite(curvature);
}

/// alpha = r.r / p.Ap; 0 if either is below the smallest normal number: x has converged.
constexpr double alpha_of(double residual_dot, double curvature) {
    const bool converged = residual_dot < smallest_normal || curvature < smallest_normal;
    return converged ? 0 : residual_dot / curvature;
}

/// beta = r.r / r.r before; 0 after an alpha of 0.
constexpr double beta_of(double residual_dot, double before, double last_alpha) {
    return last_alpha == 0 || before < smallest_normal ? 0 : residual_dot / before;
}

/// A rank's share of a dense matrix, in a device's memory, in the order that the device reads
/// fastest.
class MatrixShare {
  public:
    virtual ~MatrixShare() = default;

    /// Copies the share's elements, row by row, from the reader. Returns when done; throws what the
    /// reader throws.
    virtual void fill(const ReadRow& read_row) = 0;

    /// Measures the ways to multiply, if there are several, for about 0.1 s, and keeps the fastest;
    /// products have the same bits either way. After fill(). Local; the ranks of a machine call it
    /// at the same time, for they share its memory.
    virtual void choose_way() {}

    /// y = this share's contribution to A x. A row block: x has an element per column of the
    /// matrix, y one per row of the block, and y is that part of the product. A part of a triangle:
    /// x and y have the whole size, each stored element counts for both of its positions, and the
    /// sum of all parts' y is the product. Enqueued. The same device, threads, sizes and
    /// description give the same bits. Throws Failure unless x and y have those sizes and do not
    /// overlap.
    virtual void multiply(device::View<const double> x, device::View<double> y,
                          device::Stream& stream) = 0;

    /// As multiply(), and result[0] = the part of x . A x that the share's rows give, in fewer
    /// passes. Does nothing and returns false if the device has no such kernel.
    virtual bool multiply_and_dot(device::View<const double> /*x*/, device::View<double> /*y*/,
                                  device::View<double> /*result*/, device::Stream& /*stream*/) {
        return false;
    }

    /// Prepares iterate(), where one rank has the whole matrix and the device can keep the scalars
    /// of the iterations in its memory: the CPU then enqueues many and waits for none. Does nothing
    /// and returns false if the device cannot. Borrows the vectors of `state` and the stream.
    virtual bool prepare_iterations(device::Arena& /*arena*/, const IterationState& /*state*/,
                                    device::Stream& /*stream*/) {
        return false;
    }
    /// Iterates until `end` iterations are done; `history` as CgLoop::run() has it.
    virtual void iterate(IterationState& /*state*/, std::span<double> /*history*/,
                         std::int64_t /*end*/) {}

    /// All elements of the share, padding included: what a product reads.
    [[nodiscard]] virtual device::View<const double> storage() const = 0;

    /// The chosen way to multiply; empty if there is only one.
    [[nodiscard]] virtual std::string description() const { return {}; }
};

/// A share on the arena's device, to be filled before it multiplies. Throws Failure if memory is
/// short, or for an invalid shape. Must not outlive the device.
std::unique_ptr<MatrixShare> make_matrix(device::Arena& arena, const MatrixPart& part);

/// The vectors of an iteration of conjugate gradients (Hestenes and Stiefel, 1952).
struct ClassicVectors {
    device::View<const double> direction;  ///< p
    device::View<const double> product;    ///< A p
    device::View<double> solution;         ///< x
    device::View<double> residual;         ///< r
};

/// x += alpha p, r -= alpha A p, result[0] = r . r of the new r, in one pass. No two of the vectors
/// overlap. Enqueued.
void update(device::Device& device, double alpha, const ClassicVectors& vectors,
            device::View<double> result, device::Stream& stream);

/// The same functions for a GPU. A build without CUDA has them, too, but never calls them.
std::unique_ptr<MatrixShare> make_cuda_matrix(device::Arena& arena, const MatrixPart& part);
void cuda_update(double alpha, const ClassicVectors& vectors, device::View<double> result,
                 device::Stream& stream);

}  // namespace quartet::cg
