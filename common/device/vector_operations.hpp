#pragma once

#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

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
    virtual void axpy(double factor, View<const double> x, View<double> y, Stream& stream) = 0;
    /// y = x + factor y.
    virtual void xpay(View<const double> x, double factor, View<double> y, Stream& stream) = 0;
    /// result[0] = x . y; the threads' partial sums are added in the order of the threads, so the
    /// same size and thread count give the same bits.
    virtual void dot(View<const double> x, View<const double> y, View<double> result,
                     Stream& stream) = 0;
};

}  // namespace quartet::device
