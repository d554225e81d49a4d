#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include "fakes/emulator/fiber/sanitizer.hpp"

namespace quartet::emulator {

void before_switch(SanitizedStack& from, SanitizedStack& to) {
    ::__sanitizer_start_switch_fiber(&from.fake_stack, to.begin, to.size);
}

// Tells where the stack of a thread of the CPU lies, which nobody else knows.
void after_switch(SanitizedStack& from, SanitizedStack& to) {
    ::__sanitizer_finish_switch_fiber(to.fake_stack, &from.begin, &from.size);
}

void clear_stack(SanitizedStack& stack) {
    ::__asan_unpoison_memory_region(stack.begin, stack.size);
    stack.fake_stack = nullptr;
}

void forbid(const void* begin, std::size_t size) {
    ::__asan_poison_memory_region(begin, size);
}

void allow(const void* begin, std::size_t size) {
    ::__asan_unpoison_memory_region(begin, size);
}

__attribute__((no_sanitize("address"))) bool all_are(const std::byte* begin, std::size_t size,
                                                     std::byte value) {
    for (std::size_t i = 0; i < size; ++i)
        if (begin[i] != value)
            return false;
    return true;
}

}  // namespace quartet::emulator
