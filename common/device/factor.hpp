#pragma once

#include "device/memory.hpp"

namespace quartet::device {

/// What an operation multiplies with: a number, or one that it finds in memory when it runs, so
/// that it can be recorded (recording.hpp) and run again with another.
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
