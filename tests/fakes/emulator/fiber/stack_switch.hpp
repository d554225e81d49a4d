#pragma once

#include <cstddef>
#include <span>

namespace quartet::emulator {

/// Changes from one stack to another, within one thread of the CPU. One of stack_switch_*.cpp is
/// linked: of the processor where it is known, else that of the C library, which makes two system
/// calls a change.

/// Makes what switch_stacks() goes on with: `entry` on an empty stack. It must never return.
[[nodiscard]] void* prepare_stack(std::span<std::byte> stack, void (*entry)());

/// Leaves the stack that runs, keeps in `left` how to go on with it, and goes on with another one.
void switch_stacks(void** left, void* other);

}  // namespace quartet::emulator
