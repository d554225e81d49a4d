#pragma once

#include "device/memory.hpp"

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

}  // namespace quartet::device
