#include "bench/session/arena.hpp"

namespace quartet::bench {

device::Allocation Arena::allocate(Bytes size, Room room) {
    switch (room) {
        case Room::device:
            return device_->allocate(size, device_->memory_kind());
        case Room::host:
            return device_->allocate(size, device::MemoryKind::pinned);
        case Room::device_window:
            check(transport_ != nullptr, "a window without a transport");
            return transport_->allocate(size);
        case Room::host_window:
            break;
    }
    throw Failure("a node's window is made by its transport alone");
}

}  // namespace quartet::bench
