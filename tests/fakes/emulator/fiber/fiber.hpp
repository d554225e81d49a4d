#pragma once

#include <cstddef>
#include <functional>

#include "fakes/emulator/fiber/sanitizer.hpp"

namespace quartet::emulator {

/// A call on a stack of its own, which can be left and gone on with.
class Fiber {
  public:
    /// The stack that runs already, of a thread of the CPU.
    Fiber() = default;
    /// Begins `body` when it is switched to first. The body must never return, nor throw. Fibers
    /// that take turns have different numbers.
    Fiber(std::size_t number, std::function<void()> body);
    /// What is on its stack is not destroyed.
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Leaves this fiber, which runs, until something switches to it.
    void switch_to(Fiber& next);

  private:
    static void begin();

    std::function<void()> body_;
    std::byte* mapped_ = nullptr;
    void* left_ = nullptr;  ///< how to go on
    SanitizedStack stack_;
};

}  // namespace quartet::emulator
