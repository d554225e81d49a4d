#include <smpi/smpi.h>

#include "device/model/emulation.hpp"

namespace quartet::device {

namespace {

// Simulated time is made of operations. In the platform files that `quartet simulate` makes, all
// processors have this speed, and ranks do not share them.
constexpr double operations_per_second = 1e9;

}  // namespace

Results emulation_results() {
    return Results::simulated;
}

void let_pass(Seconds time) {
    if (time > Seconds{}) {
        smpi_execute_flops(time.value * operations_per_second);
    }
}

Allocation allocate_unread(Bytes size, MemoryKind kind) {
    void* const memory =
        smpi_shared_malloc(static_cast<std::size_t>(size.value), "allocate_unread", 0);
    check(memory != nullptr, "the simulator has no memory");
    return {{static_cast<std::byte*>(memory), [](std::byte* data) { smpi_shared_free(data); }},
            size,
            kind};
}

}  // namespace quartet::device
