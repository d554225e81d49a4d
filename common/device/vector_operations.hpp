#pragma once

#include "device/cg_scalars.hpp"
#include "device/factor.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// The vectors of one step of conjugate gradients.
struct StepVectors {
    View<const double> direction;  ///< p
    View<const double> product;    ///< A p
    View<double> solution;         ///< x
    View<double> residual;         ///< r
};

/// Ditto where the direction and its product are kept up in the same pass.
struct CombinedStepVectors {
    View<double> direction;               ///< p
    View<double> product;                 ///< s = A p
    View<const double> residual_product;  ///< w = A r
    View<double> solution;                ///< x
    View<double> residual;                ///< r
};

/// Element-wise operations and dots on a device's memory, enqueued on a stream. Views of one call
/// have equal sizes and overlap only where they are the same view; else Failure is thrown.
class VectorOperations {
  public:
    virtual ~VectorOperations() = default;

    /// target += source; 12 bytes of traffic an element.
    virtual void add(View<const float> source, View<float> target, Stream& stream) = 0;
    virtual void add(View<const double> source, View<double> target, Stream& stream) = 0;

    virtual void fill(float value, View<float> target, Stream& stream) = 0;
    virtual void fill(double value, View<double> target, Stream& stream) = 0;

    /// y += factor x.
    virtual void axpy(Factor factor, View<const double> x, View<double> y, Stream& stream) = 0;
    /// y = x + factor y.
    virtual void xpay(View<const double> x, Factor factor, View<double> y, Stream& stream) = 0;
    /// result[0] = x . y; the threads' partial sums are added in the order of the threads, so the
    /// same size and thread count give the same bits.
    virtual void dot(View<const double> x, View<const double> y, View<double> result,
                     Stream& stream) = 0;

    /// x += step p, r -= step A p, and result[0] = r . r of the new r, in one pass; the sum as dot
    /// makes it. No view of one call may be another.
    virtual void step_and_dot(Factor step, const StepVectors& vectors, View<double> result,
                              Stream& stream) = 0;
    /// p = r + turn p, s = w + turn s, x += step p, r -= step s, and result[0] = r . r of the new
    /// r, in one pass; ditto.
    virtual void turn_step_and_dot(Factor turn, Factor step, const CombinedStepVectors& vectors,
                                   View<double> result, Stream& stream) = 0;

    /// The scalars between those operations, one after another on the stream (cg_scalars.hpp):
    /// find_step and find_turn of the classic iteration, find_turn_and_step of the single
    /// reduction. `scalars` has one element; `history` is as long as iterations will be done, and
    /// one.
    virtual void find_step(View<CgScalars> scalars, Stream& stream) = 0;
    virtual void find_turn(View<CgScalars> scalars, View<double> history, Stream& stream) = 0;
    virtual void find_turn_and_step(View<CgScalars> scalars, View<double> history,
                                    Stream& stream) = 0;
};

/// A scalar where it lies among the others: what operations read, and where dots go.
inline View<double> place_of(const View<CgScalars>& scalars, double CgScalars::*scalar) {
    return {&(scalars.data()->*scalar), 1, scalars.kind()};
}

}  // namespace quartet::device
