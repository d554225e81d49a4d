#pragma once

#include <cstddef>

namespace quartet::emulator {

/// What sanitizers must be told, since they see neither changes of stacks nor what an emulated GPU
/// may touch. One of sanitizer_{none,address,thread}.cpp is linked.

/// A stack as a sanitizer knows it.
struct SanitizedStack {
    const void* begin = nullptr;
    std::size_t size = 0;
    void* fake_stack = nullptr;  ///< AddressSanitizer's, while the stack is left
    void* fiber = nullptr;       ///< ThreadSanitizer's
};

/// Right before a change of stacks, and right after it on the other one.
void before_switch(SanitizedStack& from, SanitizedStack& to);
void after_switch(SanitizedStack& from, SanitizedStack& to);

/// What was on the stack is gone: nothing will return there.
void clear_stack(SanitizedStack& stack);

/// Memory that nobody may touch from now on, or that all may touch again.
void forbid(const void* begin, std::size_t size);
void allow(const void* begin, std::size_t size);

/// Whether all of some memory, forbidden or not, still has one value.
[[nodiscard]] bool all_are(const std::byte* begin, std::size_t size, std::byte value);

}  // namespace quartet::emulator
