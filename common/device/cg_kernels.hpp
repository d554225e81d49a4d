#pragma once

#include "device/cg_scalars.hpp"
#include "device/factor.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// The vectors of the classic iteration (Hestenes and Stiefel, 1952).
struct ClassicVectors {
    View<const double> direction;  ///< p
    View<const double> product;    ///< A p
    View<double> solution;         ///< x
    View<double> residual;         ///< r
};

/// The vectors of the single-reduction iteration (Chronopoulos and Gear, 1989).
struct SingleReductionVectors {
    View<double> direction;               ///< p
    View<double> product;                 ///< s = A p
    View<const double> residual_product;  ///< w = A r
    View<double> solution;                ///< x
    View<double> residual;                ///< r
};

/// The fused updates of conjugate gradients on a device's memory, enqueued on a stream. Vectors of
/// one call have equal sizes and share nothing; otherwise the call throws Failure.
class CgKernels {
  public:
    virtual ~CgKernels() = default;

    /// x += alpha p, r -= alpha A p, result[0] = r . r of the new r, in one pass. The sum has the
    /// order of VectorOperations::dot.
    virtual void update_classic(Factor alpha, const ClassicVectors& vectors, View<double> result,
                                Stream& stream) = 0;
    /// p = r + beta p, s = w + beta s, x += alpha p, r -= alpha s, result[0] = r . r of the new r,
    /// in one pass.
    virtual void update_single_reduction(Factor beta, Factor alpha,
                                         const SingleReductionVectors& vectors, View<double> result,
                                         Stream& stream) = 0;

    /// The functions of cg_scalars.hpp, on the stream. `scalars` has one element; `history` has one
    /// more than there are iterations.
    virtual void update_alpha(View<CgScalars> scalars, Stream& stream) = 0;
    virtual void update_beta(View<CgScalars> scalars, View<double> history, Stream& stream) = 0;
    virtual void update_alpha_beta(View<CgScalars> scalars, View<double> history,
                                   Stream& stream) = 0;
};

/// What iterations of one rank work on while its scalars stay in the device's memory.
struct ResidentCg {
    View<double> direction;  ///< p
    View<double> solution;   ///< x
    View<double> residual;   ///< r
    View<CgScalars> scalars;
    View<double> history;  ///< one element more than there are iterations
};

/// The direction of an iteration.
enum class DirectionOf {
    state,     ///< p as it is
    residual,  ///< r + beta p, after another iteration
};

/// Classic iterations by kernels that a device has for its matrix shares, in fewer passes than
/// VectorOperations and CgKernels make of them.
class ClassicIteration {
  public:
    virtual ~ClassicIteration() = default;

    /// As MatrixShare::multiply(), and result[0] = the share's part of x . A x: that of its rows.
    virtual void multiply_and_dot(View<const double> x, View<double> y, View<double> result,
                                  Stream& stream) = 0;
    /// An iteration, where the share is the whole matrix. Before the first one `sum` and
    /// `residual_dot` are r.r, and p is the state's; after it p is the direction of this iteration.
    virtual void iterate(const ResidentCg& cg, DirectionOf direction, Stream& stream) = 0;
    /// After the last one: `sum` is r.r, and p the next direction.
    virtual void finish(const ResidentCg& cg, Stream& stream) = 0;
};

/// One of the scalars, for a dot to write or an operation to read.
inline View<double> scalar_of(const View<CgScalars>& scalars, double CgScalars::*scalar) {
    return {&(scalars.data()->*scalar), 1, scalars.kind()};
}

}  // namespace quartet::device
