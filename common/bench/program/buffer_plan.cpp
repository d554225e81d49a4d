#include "bench/program/buffer_plan.hpp"

namespace quartet::bench {

comm::OperationMemory operation_memory(Session& session, const std::string& transport) {
    return {session.registry().traits(transport),
            {.settings = session.options().transfer,
             .kind = session.device().memory_kind(),
             .nodes = session.topology().nodes()}};
}

void announce(const BufferPlan& plan, Session& session, PlannedCase& planned) {
    planned.shared_memory = plan.in(Room::host_window);
    if (session.device().memory_kind() == device::MemoryKind::device) {
        planned.device_memory = plan.device();
        planned.memory = plan.host();
        return;
    }
    planned.memory = plan.host() + plan.device();
    if (session.registry().traits(planned.name.variant.transport).windows) {
        planned.shared_memory = planned.shared_memory + plan.in(Room::device_window);
    }
}

}  // namespace quartet::bench
