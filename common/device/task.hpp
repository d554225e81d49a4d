#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace quartet::device {

/// A call to be made later, stored in place: streams must not allocate inside a timed step, as
/// std::function may. Takes any trivially copyable callable of at most `capacity` bytes.
class Task {
  public:
    static constexpr std::size_t capacity = 128;

    Task() = default;

    template <typename Callable>
    requires(!std::is_same_v<std::decay_t<Callable>, Task>)
        Task(Callable&& callable) {  // implicit, so that a lambda is passed as it is
        using Stored = std::decay_t<Callable>;
        static_assert(sizeof(Stored) <= capacity && alignof(Stored) <= alignof(std::max_align_t));
        static_assert(std::is_trivially_copyable_v<Stored>,
                      "a task captures pointers, views and numbers only");
        ::new (static_cast<void*>(storage_)) Stored(std::forward<Callable>(callable));
        call_ = &call<Stored>;
    }

    void operator()() { call_(storage_); }

  private:
    template <typename Stored>
    static void call(void* stored) {
        (*static_cast<Stored*>(stored))();
    }

    alignas(std::max_align_t) std::byte storage_[capacity];
    void (*call_)(void*) = nullptr;
};

}  // namespace quartet::device
