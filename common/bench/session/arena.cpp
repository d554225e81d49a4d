#include "bench/session/arena.hpp"

#include <algorithm>

#include "device/accelerator.hpp"

namespace quartet::bench {

namespace {

// Memory of a GPU that other ranks map is exported in whole blocks.
Bytes device_memory(const Arena& arena, Session& session, const comm::TransportTraits& transport) {
    const bool mapped = transport.memory == comm::TransportMemory::gpu &&
                        transport.location == comm::PartLocation::at_sender;
    return mapped ? arena.device_in_blocks(session.device().accelerator()->exported_block())
                  : arena.device();
}

}  // namespace

device::Allocation Arena::allocate(Bytes size, Room room) {
    switch (room) {
        case Room::device:
            return device_->allocate(size, device_->memory_kind());
        case Room::host:
            return device_->allocate(size, device::MemoryKind::pinned);
        case Room::device_window:
            check(transport_ != nullptr, "a window without a transport");
            return transport_->allocate(size);
        case Room::host_shared:
            break;
    }
    throw Failure("memory that a node's ranks share is made by others");
}

void Arena::count(Bytes size, Room room) {
    Bytes& sum = sums_.at(static_cast<std::size_t>(room));
    sum = sum + size;
    if (room == Room::device_window) {
        device_windows_.push_back(size);
    }
}

void Arena::count(const Arena& other) {
    for (std::size_t room = 0; room < sums_.size(); ++room) {
        sums_[room] = sums_[room] + other.sums_[room];
    }
    device_windows_.insert(device_windows_.end(), other.device_windows_.begin(),
                           other.device_windows_.end());
}

Bytes Arena::device_in_blocks(Bytes block) const {
    Bytes sum = in(Room::device);
    for (const Bytes window : device_windows_) {
        const std::int64_t blocks = (window.value + block.value - 1) / block.value;
        sum = sum + std::max<std::int64_t>(1, blocks) * block;
    }
    return sum;
}

comm::OperationMemory operation_memory(Session& session, const std::string& transport) {
    return {session.registry().traits(transport), session.options().transfer,
            session.device().memory_kind(), session.topology().nodes()};
}

void announce(const Arena& arena, Session& session, PlannedCase& planned) {
    const comm::TransportTraits& transport =
        session.registry().traits(planned.name.variant.transport);
    planned.needs = {.host = arena.host(), .device = {}};
    if (device::has_own_memory(session.device())) {
        planned.needs.device = device_memory(arena, session, transport);
        return;
    }
    planned.needs.host = arena.host() + arena.device();
}

}  // namespace quartet::bench
