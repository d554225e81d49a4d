#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace quartet::matmul {

/// A fixed number of slots, which are filled and emptied in the same order.
template <typename Slot>
class SlotRing {
  public:
    explicit SlotRing(std::int64_t count) : slots_(static_cast<std::size_t>(count)) {}

    /// All of them, in use or not.
    [[nodiscard]] std::vector<Slot>& slots() { return slots_; }
    [[nodiscard]] bool full() const { return filled_ - emptied_ == std::ssize(slots_); }
    [[nodiscard]] bool empty() const { return filled_ == emptied_; }
    void clear() { filled_ = emptied_ = 0; }

    /// The slot to be filled; it counts as filled from now on.
    Slot& fill() {
        check(!full(), "all slots are in use");
        return slot(filled_++);
    }
    [[nodiscard]] Slot& oldest() {
        check(!empty(), "no slot is in use");
        return slot(emptied_);
    }
    /// The oldest slot; it may be filled again from now on.
    Slot& empty_oldest() {
        Slot& slot = oldest();
        ++emptied_;
        return slot;
    }
    /// `use(slot)` for each slot in use, oldest first.
    template <typename Use>
    void each_in_use(Use use) {
        for (std::int64_t number = emptied_; number < filled_; ++number) {
            use(slot(number));
        }
    }

  private:
    [[nodiscard]] Slot& slot(std::int64_t number) {
        return slots_[static_cast<std::size_t>(number % std::ssize(slots_))];
    }

    std::vector<Slot> slots_;
    std::int64_t filled_ = 0;  ///< so far
    std::int64_t emptied_ = 0;
};

}  // namespace quartet::matmul
