#pragma once

#include <span>

#include "device/memory.hpp"
#include "device/memory_way.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// One pass over memory, for a probe of its rate. Source and target have the same size, a whole
/// number of elements; for AccessPattern::read, the target is one double.
struct MemoryPass {
    AccessPattern pattern = AccessPattern::read;
    View<const std::byte> source;
    View<std::byte> target;
};

/// Element-wise operations and dots on a device's memory, enqueued on a stream. Views of one call
/// have equal sizes, and overlap only if they are the same view; otherwise the call throws Failure.
class VectorOperations {
  public:
    virtual ~VectorOperations() = default;

    /// target += source. Traffic: 12 bytes an element in float, 24 in double.
    virtual void add(View<const float> source, View<float> target, Stream& stream) = 0;
    virtual void add(View<const double> source, View<double> target, Stream& stream) = 0;

    virtual void fill(float value, View<float> target, Stream& stream) = 0;
    virtual void fill(double value, View<double> target, Stream& stream) = 0;

    /// target = source, past the caches if the processor can: for targets that are not read soon.
    virtual void copy(View<const double> source, View<double> target, Stream& stream) = 0;

    /// y += factor x.
    virtual void axpy(double factor, View<const double> x, View<double> y, Stream& stream) = 0;
    /// y = x + factor y.
    virtual void xpay(View<const double> x, double factor, View<double> y, Stream& stream) = 0;
    /// result[0] = x . y. Partial sums are added in a fixed order: the same size and thread count
    /// give the same bits.
    virtual void dot(View<const double> x, View<const double> y, View<double> result,
                     Stream& stream) = 0;

    /// The ways to pass over memory that may be the fastest, at least one.
    [[nodiscard]] virtual std::span<const MemoryWay> ways(AccessPattern pattern) const = 0;
    /// Passes over memory in one of those ways.
    virtual void pass(const MemoryPass& pass, MemoryWay way, Stream& stream) = 0;
};

}  // namespace quartet::device
