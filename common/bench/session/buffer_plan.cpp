#include "bench/session/buffer_plan.hpp"

#include <algorithm>

#include "device/accelerator.hpp"

namespace quartet::bench {

namespace {

// Memory of a GPU that other ranks map is exported in whole blocks.
Bytes device_memory(const BufferPlan& plan, Session& session,
                    const comm::TransportTraits& transport) {
    const bool mapped = transport.memory == comm::TransportMemory::gpu &&
                        transport.location == comm::PartLocation::at_sender;
    return mapped ? plan.device_in_blocks(session.device().accelerator()->exported_block())
                  : plan.device();
}

}  // namespace

Bytes BufferPlan::device_in_blocks(Bytes block) const {
    Bytes sum = in(Room::device);
    for (const Bytes window : device_windows_) {
        const std::int64_t blocks = (window.value + block.value - 1) / block.value;
        sum = sum + std::max<std::int64_t>(1, blocks) * block;
    }
    return sum;
}

comm::OperationMemory operation_memory(Session& session, const std::string& transport) {
    return {session.registry().traits(transport),
            {.settings = session.options().transfer,
             .kind = session.device().memory_kind(),
             .nodes = session.topology().nodes()}};
}

void announce(const BufferPlan& plan, Session& session, PlannedCase& planned) {
    planned.shared_memory = plan.in(Room::host_window);
    if (device::has_own_memory(session.device())) {
        planned.device_memory =
            device_memory(plan, session, session.registry().traits(planned.name.variant.transport));
        planned.memory = plan.host();
        return;
    }
    planned.memory = plan.host() + plan.device();
    if (session.registry().traits(planned.name.variant.transport).windows) {
        planned.shared_memory = planned.shared_memory + plan.in(Room::device_window);
    }
}

}  // namespace quartet::bench
