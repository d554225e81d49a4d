#include "bench/measure/machine_watch.hpp"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "system/processor.hpp"

namespace quartet::bench {

namespace {

MachineCounters counters_now(std::span<const int> processors) {
    return {.time = now(),
            .stolen = system::steal_time(processors),
            .busy = system::busy_time(),
            .cpu = process_cpu_time()};
}

// At least 0: a counter goes back when a processor goes offline and its count is lost.
double share_of(Seconds part, Seconds whole) {
    return whole > Seconds{} ? std::max(part / whole, 0.0) : 0;
}

// The cores that the node's ranks keep busy.
int node_cores(const Session& session) {
    const int threads = session.topology().node().size() * session.threads();
    return std::max(1, std::min(threads, session.topology().resources().cores));
}

}  // namespace

MachineProbes this_machine() {
    return {counters_now, system::probe_clock,
            [](const Gpus& gpus, int rank) { return gpus.counters(rank); },
            [counters = std::shared_ptr<system::NetworkCounters>()]() mutable {
                if (!counters) {  // made only where the first rank of a node asks
                    counters = std::make_shared<system::NetworkCounters>();
                }
                return counters.get();
            }};
}

MachineWatch::MachineWatch(const Session& session, const MachineProbes& machine)
    : session_(session), machine_(machine) {
    gpu_before_ = gpu_counters();
    session.world().barrier();
    before_ = machine.counters(session.topology().mine().cpus);
    session.world().barrier();
}

RunConditions MachineWatch::end() {
    const comm::Communicator& world = session_.world();
    world.barrier();  // ranks that wait here spin, which counts as CPU time of their own
    const MachineCounters after = machine_.counters(session_.topology().mine().cpus);
    const auto gpu_after = gpu_counters();
    const Seconds window = after.time - before_.time;
    RunConditions conditions;
    conditions.stolen_share = stolen(after, window);
    conditions.others_share = others(after, window);
    conditions.window = {world.maximum(window.value)};
    const auto largest = [&](int cores) { return static_cast<int>(world.maximum(cores)); };
    conditions.rank_cores = largest(session_.topology().busy_cores(session_.threads()));
    conditions.node_cores = largest(node_cores(session_));
    add_gpus(conditions, gpu_after);
    return conditions;
}

std::optional<device::GpuCounters> MachineWatch::gpu_counters() const {
    return machine_.gpu_counters(session_.gpus(), session_.world().rank());
}

// The largest share of the ranks that know theirs; nothing if none does. Collective.
std::optional<double> MachineWatch::largest_share(std::optional<double> share) const {
    const double most = session_.world().maximum(share.value_or(-1));
    return most < 0 ? std::nullopt : std::optional(most);
}

std::optional<double> MachineWatch::stolen(const MachineCounters& after, Seconds window) const {
    std::optional<double> share;
    if (before_.stolen && after.stolen) {
        const int cores = session_.topology().busy_cores(session_.threads());
        // A rank without binding sees the steal of all processors: more than its cores' time.
        share = std::min(share_of(*after.stolen - *before_.stolen, cores * window), 1.0);
    }
    return largest_share(share);
}

// The share of the node's busy cores' time that other processes took. At most 1: a tick that ends
// within a short run counts in full, although it began before the run. Ranks that share a core
// cannot read at the same time: between their readings the job is busy, not another process.
std::optional<double> MachineWatch::others(const MachineCounters& after, Seconds window) const {
    const comm::Communicator& node = session_.topology().node();
    const int cores = node_cores(session_);
    const double own = node.sum((after.cpu - before_.cpu).value);
    const double between = node.maximum(before_.time.value) - before_.time.value +
                           after.time.value - node.minimum(after.time.value);
    std::optional<double> share;
    if (before_.busy && after.busy) {
        const Seconds busy = *after.busy - *before_.busy - Seconds{own + cores * between};
        share = std::min(share_of(busy, cores * window), 1.0);
    }
    return largest_share(share);
}

// Adds nothing for a job without GPUs, or for a run that is too short for their counters.
void MachineWatch::add_gpus(RunConditions& conditions,
                            const std::optional<device::GpuCounters>& after) const {
    const comm::Communicator& world = session_.world();
    if (conditions.window < least_gpu_window || !world.any(gpu_before_.has_value())) {
        return;
    }
    const auto share = [&](std::optional<Seconds> device::GpuCounters::*counter) {
        std::optional<double> mine;
        if (gpu_before_ && after && (*gpu_before_).*counter && (*after).*counter) {
            const Seconds held = *((*after).*counter) - *((*gpu_before_).*counter);
            // The counter's last step may have begun before the run.
            mine = std::min(share_of(held, conditions.window), 1.0);
        }
        return largest_share(mine);
    };
    conditions.power_capped_share = share(&device::GpuCounters::power_capped);
    conditions.thermally_slowed_share = share(&device::GpuCounters::thermally_slowed);
    conditions.power_braked_share = share(&device::GpuCounters::power_braked);
    const bool has_energy =
        gpu_before_ && gpu_before_->energy_joules && after && after->energy_joules;
    if (world.all(has_energy || !gpu_before_)) {
        conditions.energy_joules =
            world.sum(has_energy ? *after->energy_joules - *gpu_before_->energy_joules : 0);
    }
}

NetworkPath::NetworkPath(const Session& session, const MachineProbes& machine)
    : session_(session),
      counters_(session.topology().mine().local_rank == 0 ? machine.network() : nullptr) {
    sent_.assign(counters_ != nullptr ? counters_->interfaces().size() : 0, 0);
}

void NetworkPath::begin() {
    if (counters_ != nullptr) {
        before_ = counters_->sent();
    }
}

void NetworkPath::end() {
    ++runs_;
    if (counters_ == nullptr) {
        return;
    }
    const auto after = counters_->sent();
    for (std::size_t index = 0; index < after.size(); ++index) {
        auto& sum = sent_[index];
        const auto& from = before_[index];
        const auto& to = after[index];
        const bool known = sum && from && to && *to >= *from;  // a counter may restart at 0
        sum = known ? std::optional(*sum + (*to - *from)) : std::nullopt;
    }
}

std::vector<std::string> NetworkPath::nodes() const {
    using Json = nlohmann::ordered_json;
    Json json{{"host", session_.topology().mine().host}, {"runs", runs_}};
    json["interfaces"] = Json::array();
    for (std::size_t index = 0; index < sent_.size(); ++index) {
        const system::Interface& port = counters_->interfaces()[index];
        if (sent_[index] == 0U && !(port.up && port.gigabits > 0)) {
            continue;  // it sent nothing, and perhaps cannot send
        }
        Json& entry = json["interfaces"].emplace_back(
            Json{{"name", port.name}, {"kind", port.kind}, {"up", port.up}});
        if (port.gigabits > 0) {
            entry["gigabits_per_second"] = port.gigabits;
        }
        if (sent_[index]) {
            entry["sent_bytes"] = *sent_[index];
        }
    }
    std::vector<std::string> nodes = session_.world().gather_to_root(
        counters_ != nullptr ? json.dump(-1, ' ', false, Json::error_handler_t::replace) : "");
    std::erase(nodes, "");
    return nodes;
}

}  // namespace quartet::bench
