#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "cg/scalars.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

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

/// Writes elements [first_column, first_column + out.size()) of a row of the whole matrix. Several
/// threads call it at once.
using ReadRow =
    std::function<void(std::int64_t row, std::int64_t first_column, std::span<double> out)>;

/// What iterations of conjugate gradients on one rank work on while the scalars stay in the
/// device's memory.
struct ResidentCg {
    device::View<double> direction;  ///< p
    device::View<double> solution;   ///< x
    device::View<double> residual;   ///< r
    device::View<CgScalars> scalars;
    device::View<double> history;  ///< r.r: one element more than there are iterations
};

/// The direction of an iteration.
enum class DirectionOf {
    state,     ///< p as it is
    residual,  ///< r + beta p, after another iteration
};

/// Iterations by kernels that a device has for its matrix shares, in fewer passes than
/// VectorOperations make of them.
class ClassicIteration {
  public:
    virtual ~ClassicIteration() = default;

    /// As MatrixShare::multiply(), and result[0] = the share's part of x . A x: that of its rows.
    virtual void multiply_and_dot(device::View<const double> x, device::View<double> y,
                                  device::View<double> result, device::Stream& stream) = 0;
    /// An iteration, where the share is the whole matrix. Before the first one `sum` and
    /// `residual_dot` are r.r, and p is the state's; after it p is the direction of this iteration.
    virtual void iterate(const ResidentCg& cg, DirectionOf direction, device::Stream& stream) = 0;
    /// After the last one: `sum` is r.r, and p the next direction.
    virtual void finish(const ResidentCg& cg, device::Stream& stream) = 0;
};

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

    /// Iterations of its own; null if the device has none.
    [[nodiscard]] virtual ClassicIteration* classic_iteration() { return nullptr; }

    /// All of its elements, padding included: what a product reads.
    [[nodiscard]] virtual device::View<const double> storage() const = 0;

    /// The chosen way to multiply; empty if there is only one.
    [[nodiscard]] virtual std::string description() const { return {}; }
};

/// A share of zeros. Throws Failure if memory is short, or for an invalid shape. Must not outlive
/// the device.
std::unique_ptr<MatrixShare> make_matrix(device::Device& device, const RowBlock& block);
std::unique_ptr<MatrixShare> make_matrix(device::Device& device, const TrianglePart& part);

/// Memory that such a share takes, with what its products need.
Bytes matrix_memory(device::Device& device, const RowBlock& block);
Bytes matrix_memory(device::Device& device, const TrianglePart& part);

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

/// These on a GPU. A build without CUDA has them, too; they are not called there.
std::unique_ptr<MatrixShare> make_cuda_matrix(device::Device& device, const RowBlock& block);
std::unique_ptr<MatrixShare> make_cuda_matrix(device::Device& device, const TrianglePart& part);
Bytes cuda_matrix_memory(const RowBlock& block);
Bytes cuda_matrix_memory(const TrianglePart& part);
void cuda_update(double alpha, const ClassicVectors& vectors, device::View<double> result,
                 device::Stream& stream);

}  // namespace quartet::cg
