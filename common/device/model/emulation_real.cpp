#include <chrono>
#include <thread>

#include "device/host/runtime/host_memory.hpp"
#include "device/model/emulation.hpp"

namespace quartet::device {

namespace {

// The system wakes who sleeps later than asked for, by some 60 microseconds.
constexpr Seconds woken_late{100e-6};

}  // namespace

Results emulation_results() {
    return Results::emulated;
}

void let_pass(Seconds time) {
    const Seconds end = now() + time;
    if (time > woken_late) {
        std::this_thread::sleep_for(std::chrono::duration<double>((time - woken_late).value));
    }
    while (now() < end) {
    }
}

Allocation allocate_unread(Bytes size, MemoryKind kind) {
    return allocate_host_memory(size, kind, 1);
}

}  // namespace quartet::device
