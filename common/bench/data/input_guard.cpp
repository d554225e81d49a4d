#include "bench/data/input_guard.hpp"

#include <algorithm>

#include "device/host/runtime/host_memory.hpp"

namespace quartet::bench {

void InputGuard::remember(device::View<const std::byte> input) {
    if (input.empty() || input.kind() == device::MemoryKind::device) {
        return;
    }
    remembered_.push_back({input, device::memory_checksum(input.span(), threads_)});
}

Check InputGuard::judge(Check check, const comm::Communicator& world) const {
    const bool intact = std::ranges::all_of(remembered_, [this](const Remembered& memory) {
        return device::memory_checksum(memory.input.span(), threads_) == memory.checksum;
    });
    if (!world.all(intact)) {
        check.passed = false;
        check.why = "its input has changed in memory";
    }
    return check;
}

}  // namespace quartet::bench
