#pragma once

#include "device/memory.hpp"

namespace quartet::device {

/// The factor of an operation: a number, or a place in memory that is read when the operation runs.
/// With a place, the operation can be recorded (recording.hpp) and run again with another number.
class Factor {
  public:
    Factor(double number) : number_(number) {}  // implicit: a factor is a number, mostly
    /// Throws Failure unless the view has one element.
    Factor(const View<const double>& place) : place_(place.data()), kind_(place.kind()) {
        check(place.size() == 1, "a factor is one number");
    }

    /// Null for a number that is known.
    [[nodiscard]] const double* place() const { return place_; }
    [[nodiscard]] MemoryKind kind() const { return kind_; }
    [[nodiscard]] double number() const { return number_; }
    /// To be called when the operation runs, where the memory can be touched.
    [[nodiscard]] double value() const { return place_ == nullptr ? number_ : *place_; }

  private:
    double number_ = 0;
    const double* place_ = nullptr;
    MemoryKind kind_ = MemoryKind::host;
};

}  // namespace quartet::device
