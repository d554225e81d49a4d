#pragma once

#include <span>

#include "device/memory.hpp"
#include "device/memory_way.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// The factor of an operation: a number, or the address of one that is read when the operation
/// runs. With an address, the operation can be recorded (Device::record) and run again with another
/// number.
class Factor {
  public:
    Factor(double number) : number_(number) {}  // implicit: most factors are plain numbers
    /// Throws Failure unless the view has one element.
    Factor(const View<const double>& view) : address_(view.data()), kind_(view.kind()) {
        check(view.size() == 1, "a factor is one number");
    }

    /// Null for a plain number.
    [[nodiscard]] const double* address() const { return address_; }
    [[nodiscard]] MemoryKind kind() const { return kind_; }
    [[nodiscard]] double number() const { return number_; }
    /// The number. To be called when the operation runs, by code that can read the memory.
    [[nodiscard]] double value() const { return address_ == nullptr ? number_ : *address_; }

  private:
    double number_ = 0;
    const double* address_ = nullptr;
    MemoryKind kind_ = MemoryKind::host;
};

/// One pass over memory, for a probe of its rate. Source and target have the same size, a multiple
/// of the element's; of reading, the target is one double.
struct MemoryPass {
    AccessPattern pattern = AccessPattern::read;
    View<const std::byte> source;
    View<std::byte> target;
};

/// The vectors of an iteration of conjugate gradients (Hestenes and Stiefel, 1952).
struct ClassicVectors {
    View<const double> direction;  ///< p
    View<const double> product;    ///< A p
    View<double> solution;         ///< x
    View<double> residual;         ///< r
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

    /// target = source, past the caches if the processor can: for what is not read soon.
    virtual void copy(View<const double> source, View<double> target, Stream& stream) = 0;

    /// y += factor x.
    virtual void axpy(Factor factor, View<const double> x, View<double> y, Stream& stream) = 0;
    /// y = x + factor y.
    virtual void xpay(View<const double> x, Factor factor, View<double> y, Stream& stream) = 0;
    /// result[0] = x . y. Partial sums are added in a fixed order: the same size and thread count
    /// give the same bits.
    virtual void dot(View<const double> x, View<const double> y, View<double> result,
                     Stream& stream) = 0;

    /// x += alpha p, r -= alpha A p, result[0] = r . r of the new r, in one pass. No two of the
    /// vectors overlap.
    virtual void update_classic(Factor alpha, const ClassicVectors& vectors, View<double> result,
                                Stream& stream) = 0;

    /// The ways to pass over memory that are worth a trial, one at least.
    [[nodiscard]] virtual std::span<const MemoryWay> ways(AccessPattern pattern) const;
    /// Passes over memory in one of those ways. Unless the device says otherwise there is one, by
    /// dot, copy, add and axpy.
    virtual void pass(const MemoryPass& pass, MemoryWay way, Stream& stream);
};

}  // namespace quartet::device
