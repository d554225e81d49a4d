#include "bench/measure/road_watch.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

// TCP's acknowledgements come within 40 ms.
constexpr std::chrono::milliseconds quiet_time{50};

// A counter that was reset says nothing.
void add(std::optional<double>& sum, std::optional<double> before, std::optional<double> after) {
    sum = sum && before && after && *after >= *before ? std::optional(*sum + *after - *before)
                                                      : std::nullopt;
}

// Empty if it is of no interest: a network that sent nothing, and could not have done better.
Json json_of(const system::Interface& what, const system::Sent& sent, double others) {
    const bool is_counted = sent.state == system::CountState::counted;
    const bool could = what.kind == system::LinkKind::fabric || (what.up && what.gigabits > 0);
    if (!could && is_counted && sent.bytes == 0) {
        return {};
    }
    Json json{{"name", what.name}, {"kind", system::name(what.kind)}, {"up", what.up}};
    if (what.gigabits > 0) {
        json["gigabits_per_second"] = what.gigabits;
    }
    if (what.on_ethernet) {
        json["on_ethernet"] = true;
    }
    if (!what.inside.empty()) {
        json["inside"] = what.inside;
    }
    if (is_counted || sent.state == system::CountState::wrapped) {
        json["sent_bytes"] = sent.bytes;
    }
    if (!is_counted) {
        json["counter"] = system::name(sent.state);
    }
    if (others > 0) {
        json["others_bytes_per_second"] = others;
    }
    return json;
}

}  // namespace

RoadWatch::RoadWatch(Session& session, const PlannedCase& planned, const MachineProbes& machine)
    : session_(session) {
    if (session_.world().any(planned.moved.known())) {
        plan_node(planned.moved);
    }
    if (session_.topology().mine().local_rank == 0) {
        traffic_ = machine.traffic();
    }
    interfaces_.resize(traffic_ ? traffic_->interfaces().size() : 0);
}

void RoadWatch::plan_node(const comm::RankTraffic& mine) {
    const comm::Topology& topology = session_.topology();
    const int me = session_.world().rank();
    Plan plan{.copied_out = static_cast<double>(mine.copied_out)};
    for (const auto* bytes : {&mine.sent, &mine.payloads}) {
        for (int to = 0; to < std::ssize(*bytes); ++to) {
            if (to != me) {
                (topology.same_node(me, to) ? plan.within_node : plan.between_nodes) +=
                    static_cast<double>((*bytes)[static_cast<std::size_t>(to)]);
            }
        }
    }
    const comm::Communicator& node = topology.node();
    planned_ = Plan{.between_nodes = node.sum(plan.between_nodes),
                    .within_node = node.sum(plan.within_node),
                    .copied_out = node.sum(plan.copied_out)};
}

std::vector<system::Count> RoadWatch::read() const {
    return traffic_ ? traffic_->read() : std::vector<system::Count>{};
}

void RoadWatch::watch_others() {
    if (session_.topology().nodes() == 1) {
        return;
    }
    session_.world().barrier();
    std::this_thread::sleep_for(quiet_time);
    const auto before = read();
    const Seconds begin = now();
    std::this_thread::sleep_for(quiet_time);
    const auto after = read();
    const Seconds window = now() - begin;
    for (std::size_t index = 0; index < before.size(); ++index) {
        const auto sent =
            system::sent(traffic_->interfaces()[index], before[index], after[index], window);
        interfaces_[index].others = sent.bytes / window.value;
    }
    session_.world().barrier();
}

void RoadWatch::begin() {
    before_ = read();
    begin_ = now();
}

void RoadWatch::end(const MachineWatch& watch) {
    const auto after = read();
    const Seconds window = now() - begin_;
    ++runs_;
    window_ = window_ + window;
    for (std::size_t index = 0; index < after.size(); ++index) {
        interfaces_[index].sent +=
            system::sent(traffic_->interfaces()[index], before_[index], after[index], window);
    }
    if (const auto& gpu = watch.gpu_before()) {
        const auto later = watch.gpu_after().value_or(device::GpuCounters{});
        reads_gpu_ = true;
        add(nvlink_, gpu->nvlink_sent, later.nvlink_sent);
        add(pcie_, gpu->pcie_sent, later.pcie_sent);
    }
}

// Of the node's GPUs, if all of them tell.
std::optional<double> RoadWatch::sent_by_gpus(const std::optional<double>& mine) const {
    const comm::Communicator& node = session_.topology().node();
    const bool all_tell = node.all(mine.has_value());
    const double sum = node.sum(mine.value_or(0));
    return all_tell ? std::optional(sum) : std::nullopt;
}

std::vector<std::string> RoadWatch::nodes() const {
    const auto nvlink = sent_by_gpus(nvlink_);
    const auto pcie = sent_by_gpus(pcie_);
    const bool has_gpus = session_.topology().node().any(reads_gpu_);
    Json node{
        {"host", session_.topology().mine().host}, {"runs", runs_}, {"seconds", window_.value}};
    if (planned_) {
        node["planned_between_nodes_bytes"] = runs_ * planned_->between_nodes;
        node["planned_within_node_bytes"] = runs_ * planned_->within_node;
    }
    if (planned_ && has_gpus) {
        node["planned_copied_out_bytes"] = runs_ * planned_->copied_out;
    }
    if (nvlink && has_gpus) {
        node["nvlink_sent_bytes"] = *nvlink;
    }
    if (pcie && has_gpus) {
        node["pcie_sent_bytes"] = *pcie;
    }
    node["interfaces"] = Json::array();
    for (std::size_t index = 0; index < interfaces_.size(); ++index) {
        const InterfaceSent& one = interfaces_[index];
        Json json = json_of(traffic_->interfaces()[index], one.sent, one.others);
        if (!json.empty()) {
            node["interfaces"].push_back(std::move(json));
        }
    }
    const bool reads = traffic_ != nullptr;
    std::vector<std::string> nodes = session_.world().gather_to_root(
        reads ? node.dump(-1, ' ', false, Json::error_handler_t::replace) : "");
    std::erase(nodes, "");
    return nodes;
}

}  // namespace quartet::bench
