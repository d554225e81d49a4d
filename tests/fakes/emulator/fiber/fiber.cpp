#include "fakes/emulator/fiber/fiber.hpp"

#include <sys/mman.h>

#include <utility>

#include "core/check.hpp"
#include "fakes/emulator/fiber/stack_switch.hpp"

namespace quartet::emulator {

namespace {

constexpr std::size_t guard_bytes = 4096;  // below the stack
constexpr std::size_t stack_bytes = std::size_t{256} << 10;
// Stacks that all began at the same place of a page would share a few lines of the caches.
constexpr std::size_t stagger_bytes = 9 * 64;

// The last change of stacks: a stack that is new knows nothing else. One grid runs at a time.
struct Switch {
    Fiber* fiber;
    SanitizedStack* from;
    SanitizedStack* to;
};
Switch last{};

}  // namespace

Fiber::Fiber(std::size_t number, std::function<void()> body)
    : body_(std::move(body)),
      mapped_(static_cast<std::byte*>(::mmap(nullptr, guard_bytes + stack_bytes, PROT_NONE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    std::byte* begin = mapped_ + guard_bytes;
    check(mapped_ != MAP_FAILED && ::mprotect(begin, stack_bytes, PROT_READ | PROT_WRITE) == 0,
          "there is no memory for an emulated thread's stack");
    stack_.begin = begin;
    stack_.size = stack_bytes;
    left_ =
        prepare_stack({begin, stack_bytes - number * stagger_bytes % guard_bytes}, Fiber::begin);
}

Fiber::~Fiber() {
    if (mapped_ == nullptr)
        return;
    clear_stack(stack_);
    ::munmap(mapped_, guard_bytes + stack_bytes);
}

void Fiber::switch_to(Fiber& next) {
    last = {&next, &stack_, &next.stack_};
    before_switch(stack_, next.stack_);
    switch_stacks(&left_, next.left_);
    after_switch(*last.from, stack_);
}

void Fiber::begin() {
    after_switch(*last.from, *last.to);
    last.fiber->body_();
}

}  // namespace quartet::emulator
