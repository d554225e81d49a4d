#include "bench/measure/network_path.hpp"

#include <nlohmann/json.hpp>

namespace quartet::bench {

using Json = nlohmann::ordered_json;

NetworkPath::NetworkPath(Session& session, const PlannedCase& planned, const MachineProbes& machine)
    : session_(session) {
    const comm::Topology& topology = session.topology();
    is_planned_ = session.world().any(planned.moved.known());
    const int me = session.world().rank();
    for (const auto* bytes : {&planned.moved.sent, &planned.moved.payloads}) {
        for (int to = 0; to < std::ssize(*bytes); ++to) {
            if (to != me) {
                (topology.same_node(me, to) ? within_node_ : between_nodes_) +=
                    static_cast<double>((*bytes)[static_cast<std::size_t>(to)]);
            }
        }
    }
    between_nodes_ = topology.node().sum(between_nodes_);
    within_node_ = topology.node().sum(within_node_);
    if (topology.mine().local_rank == 0) {
        counters_ = machine.network();
    }
    sent_.assign(counters_ ? counters_->interfaces().size() : 0, 0.0);
}

void NetworkPath::begin() {
    before_ = counters_ ? counters_->sent() : Counts{};
}

template <typename Count>
void NetworkPath::add(std::optional<double>& sum, const std::optional<Count>& before,
                      const std::optional<Count>& after) {
    sum = sum && before && after && *after >= *before
              ? std::optional(*sum + static_cast<double>(*after - *before))
              : std::nullopt;
}

void NetworkPath::end(const MachineWatch& watch) {
    const Counts after = counters_ ? counters_->sent() : Counts{};
    ++runs_;
    for (std::size_t index = 0; index < after.size(); ++index) {
        add(sent_[index], before_[index], after[index]);
    }
    if (const auto& gpu = watch.gpu_before()) {
        const auto later = watch.gpu_after().value_or(device::GpuCounters{});
        reads_gpu_ = true;
        add(nvlink_, gpu->nvlink_sent, later.nvlink_sent);
    }
}

std::vector<std::string> NetworkPath::nodes() const {
    const comm::Communicator& node = session_.topology().node();
    Json json{{"host", session_.topology().mine().host}, {"runs", runs_}};
    if (is_planned_) {
        json["planned_between_nodes_bytes"] = runs_ * between_nodes_;
        json["planned_within_node_bytes"] = runs_ * within_node_;
    }
    json["interfaces"] = Json::array();
    for (std::size_t index = 0; index < sent_.size(); ++index) {
        const system::Interface& one = counters_->interfaces()[index];
        if (sent_[index] == 0.0 && !(one.up && one.gigabits > 0)) {
            continue;  // it sent nothing, and may not have been able to
        }
        Json& it = json["interfaces"].emplace_back(
            Json{{"name", one.name}, {"kind", system::name(one.kind)}, {"up", one.up}});
        if (one.gigabits > 0) {
            it["gigabits_per_second"] = one.gigabits;
        }
        if (sent_[index]) {
            it["sent_bytes"] = *sent_[index];
        }
    }
    const bool has_gpus = node.any(reads_gpu_);
    const bool all_tell = node.all(nvlink_.has_value());
    const double by_nvlink = node.sum(nvlink_.value_or(0));
    if (has_gpus && all_tell) {
        json["interfaces"].push_back(
            {{"name", "NVLink"}, {"kind", "gpu"}, {"up", true}, {"sent_bytes", by_nvlink}});
    }
    std::vector<std::string> nodes = session_.world().gather_to_root(
        counters_ ? json.dump(-1, ' ', false, Json::error_handler_t::replace) : "");
    std::erase(nodes, "");
    return nodes;
}

}  // namespace quartet::bench
