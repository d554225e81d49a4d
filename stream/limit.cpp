#include "stream/limit.hpp"

#include <algorithm>

#include "bench/measure/probes.hpp"
#include "core/block_range.hpp"

namespace quartet::stream {

namespace {

// What a probe of additions by all ranks takes. It stands beside the limit and need not be as long
// as a run.
constexpr Seconds part_time{0.02};

// Senders that the receiver can reach only over a network.
std::int64_t remote_senders(const Problem& problem, const comm::Topology& topology) {
    return std::ranges::count_if(problem.route.senders, [&](int sender) {
        return !topology.same_node(sender, problem.route.receiver);
    });
}

// Whether all ranks push or receive, and share a memory in which each core could add.
bool may_all_add(const Problem& problem, bench::Session& session) {
    return session.device().memory_kind() == device::MemoryKind::host &&
           remote_senders(problem, session.topology()) == 0 &&
           problem.senders() + 1 == session.world().size();
}

// The bytes of the target, and of each source, that each of the ranks would add.
Bytes part_of(const Problem& problem) {
    return bytes_of<float>(divide_up(problem.elements(), problem.senders() + 1));
}

}  // namespace

void PushLimit::count(bench::Arena& arena, const Problem& problem, bench::Session& session) {
    const int rank = session.world().rank();
    const int vectors = 1 + problem.senders();  // a target, and a source for each sender
    if (!problem.has(rank)) {
        return;
    }
    if (may_all_add(problem, session)) {
        arena.count(vectors * part_of(problem) + bytes_of<double>(1), bench::Room::device);
    }
    if (problem.receives(rank)) {
        arena.count(vectors * problem.size + bytes_of<double>(1), bench::Room::device);
    }
    if (remote_senders(problem, session.topology()) > 0) {
        arena.count(problem.size, bench::Room::device);
    }
}

PushLimit::PushLimit(bench::Session& session, const Problem& problem)
    : session_(session),
      problem_(problem),
      remote_senders_(remote_senders(problem, session.topology())) {
    if (problem.receives(session.world().rank())) {
        // As many sources as there are senders: what the receiver reads is as large.
        local_add_.emplace(session.device(), bench::AccessPattern::add, problem.size,
                           problem.senders(), &session.found_ways());
        // As many additions as in a run: the more follow on one another, the more of the vectors
        // a large cache keeps.
        local_passes_ = local_add_->passes_for(
            bench::longest_probe_time, problem.pushes * problem.senders(), session.stream());
    }
    way_ = bench::by_ranks(local_add_ ? local_add_->way() : "", session.world());
    if (may_all_add(problem, session)) {
        part_.emplace(session.device(), bench::AccessPattern::add, part_of(problem),
                      problem.senders(), &session.found_ways());
        part_passes_ = static_cast<int>(session.world().minimum(
            part_->passes_for(part_time, problem.pushes * problem.senders(), session.stream())));
    }
    if (remote_senders_ > 0) {
        const int remote = *std::ranges::find_if(problem.route.senders, [&](int sender) {
            return !session.topology().same_node(sender, problem.route.receiver);
        });
        link_.emplace(session.transport(comm::TransportRegistry::plain_mpi()), session.world(),
                      remote, problem.route.receiver, problem.size);
    }
}

// A run's additions on this rank, by a probe of one source for each sender.
double PushLimit::additions(std::optional<bench::MemoryProbe>& probe, int passes) {
    if (!probe) {
        return 0;
    }
    probe->fill_target(session_.stream());  // as PushCase::prepare does before a run
    probe->measure(problem_.senders(), session_.stream());  // finds the caches as another left them
    return static_cast<double>(problem_.pushes * problem_.senders()) *
           probe->measure(passes, session_.stream()).value;
}

// The messages of one run over the link between the nodes.
double PushLimit::sending() {
    constexpr int messages = 3;
    return static_cast<double>(problem_.pushes * remote_senders_) *
           link_->measure(messages, session_.stream()).value;
}

std::vector<bench::LimitComponent> PushLimit::measure() {
    std::vector<bench::LimitComponent> components{
        {"local add", {session_.world().maximum(additions(local_add_, local_passes_))}}};
    components.front().way = way_;
    if (part_passes_ > 0) {
        components.front().all_ranks = {session_.world().maximum(additions(part_, part_passes_))};
        components.front().ranks = 1;
    }
    if (link_) {
        components.push_back({"pair link", {session_.world().maximum(sending())}});
    }
    return components;
}

}  // namespace quartet::stream
