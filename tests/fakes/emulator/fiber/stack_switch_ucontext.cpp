#include <ucontext.h>

#include <new>

#include "fakes/emulator/fiber/stack_switch.hpp"

namespace quartet::emulator {

// The context of a stack that was left lies on that stack; that of a new one at its lower end.
void* prepare_stack(std::span<std::byte> stack, void (*entry)()) {
    auto* context = ::new (static_cast<void*>(stack.data())) ucontext_t;
    ::getcontext(context);
    context->uc_stack.ss_sp = stack.data() + sizeof(ucontext_t);
    context->uc_stack.ss_size = stack.size() - sizeof(ucontext_t);
    context->uc_link = nullptr;
    ::makecontext(context, entry, 0);
    return context;
}

void switch_stacks(void** left, void* other) {
    ucontext_t here;
    *left = &here;
    ::swapcontext(&here, static_cast<ucontext_t*>(other));
}

}  // namespace quartet::emulator
