#include "bench/measure/groups.hpp"

namespace quartet::bench {

namespace {

/// The memory that the cases of a group need together on this rank.
struct Needs {
    Bytes memory;
    Bytes shared_memory;
    Bytes device_memory;

    void add(const PlannedCase& planned) {
        memory = memory + planned.memory;
        shared_memory = shared_memory + planned.shared_memory;
        device_memory = device_memory + planned.device_memory;
    }
};

bool fits(const Needs& needs, const Session& session) {
    const comm::NodeResources& resources = session.topology().resources();
    const comm::Communicator& node = session.topology().node();
    const auto on_node = [&](Bytes bytes) { return node.sum(static_cast<double>(bytes.value)); };
    const auto half = [](Bytes bytes) { return static_cast<double>(bytes.value) / 2; };
    const auto& allowed = session.options().memory;
    const auto& allowed_on_device = session.options().device_memory;
    const bool fits_here =
        on_node(needs.memory) <= half(resources.memory_available) &&
        on_node(needs.shared_memory) <= half(resources.shared_memory_free) &&
        (!allowed || needs.memory <= *allowed) &&
        (session.gpus().empty() || needs.device_memory <= session.gpus().memory_share()) &&
        (!allowed_on_device || needs.device_memory <= *allowed_on_device);
    return session.world().all(fits_here);
}

}  // namespace

std::vector<Group> groups_of(const Session& session, std::span<const std::size_t> cases) {
    std::vector<Group> groups;
    Needs needs;
    bool is_open = false;  // whether the last group takes more cases
    for (const std::size_t index : cases) {
        const PlannedCase& planned = session.plan()[index];
        const bool is_alone = !planned.why_alone().empty();
        Needs together = needs;
        together.add(planned);
        if (!is_open || is_alone || !fits(together, session)) {
            groups.emplace_back();
            together = {};
            together.add(planned);
        }
        groups.back().push_back(index);
        needs = together;
        is_open = !is_alone;
    }
    return groups;
}

}  // namespace quartet::bench
