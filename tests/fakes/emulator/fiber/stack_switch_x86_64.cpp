#include <cstdint>

#include "fakes/emulator/fiber/stack_switch.hpp"

// What the System V ABI (3.2.1) lets a called function keep: six registers. The modes of floating
// point are the same on all stacks. A stack that was left ends with those and where to go on.
asm(R"(
    .text
    .globl quartet_emulator_switch_stacks
    .type quartet_emulator_switch_stacks, @function
quartet_emulator_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size quartet_emulator_switch_stacks, . - quartet_emulator_switch_stacks
)");

extern "C" void quartet_emulator_switch_stacks(void** left, void* other);

namespace quartet::emulator {

namespace {

constexpr std::size_t kept_registers = 6;

}  // namespace

void* prepare_stack(std::span<std::byte> stack, void (*entry)()) {
    auto* end = reinterpret_cast<std::uintptr_t*>(stack.data() + stack.size() / 16 * 16);
    *--end = 0;  // where `entry` would return to; it begins as if called, 8 bytes off from 16
    *--end = reinterpret_cast<std::uintptr_t>(entry);
    for (std::size_t i = 0; i < kept_registers; ++i)
        *--end = 0;
    return end;
}

void switch_stacks(void** left, void* other) {
    quartet_emulator_switch_stacks(left, other);
}

}  // namespace quartet::emulator
