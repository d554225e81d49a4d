#include <sanitizer/tsan_interface.h>

#include <cstring>

#include "fakes/emulator/fiber/sanitizer.hpp"

namespace quartet::emulator {

// Not instrumented: its entry would be noted for one fiber, its end for another.
__attribute__((no_sanitize("thread"))) void before_switch(SanitizedStack& from,
                                                          SanitizedStack& to) {
    from.fiber = ::__tsan_get_current_fiber();
    if (to.fiber == nullptr)
        to.fiber = ::__tsan_create_fiber(0);
    ::__tsan_switch_to_fiber(to.fiber, 0);
}

void after_switch(SanitizedStack&, SanitizedStack&) {}

void clear_stack(SanitizedStack& stack) {
    if (stack.fiber != nullptr)
        ::__tsan_destroy_fiber(stack.fiber);
    stack.fiber = nullptr;
}

void forbid(const void*, std::size_t) {}

void allow(const void*, std::size_t) {}

bool all_are(const std::byte* begin, std::size_t size, std::byte value) {
    return size == 0 ||
           (*begin == value && std::memcmp(begin, begin + 1, size - 1) == 0);  // each as the next
}

}  // namespace quartet::emulator
