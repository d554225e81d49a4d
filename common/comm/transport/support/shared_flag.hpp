#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace quartet::comm {

/// A number in a shared window, which one rank raises and others wait for.
using SharedFlag = std::atomic<std::int64_t>;
static_assert(SharedFlag::is_always_lock_free);

/// Returns once `flag` is at least `value`; then all that its rank has written before is visible.
/// Spins first, since the other side answers within a microsecond if it has its own core. Then it
/// yields, since otherwise its spinning would keep the other side from answering. Local.
inline void wait_until(const SharedFlag& flag, std::int64_t value) {
    constexpr int spins_before_yield = 2000;
    for (int spin = 0; flag.load(std::memory_order_acquire) < value; ++spin) {
        if (spin > spins_before_yield) {
            sched_yield();
        }
    }
}

}  // namespace quartet::comm
