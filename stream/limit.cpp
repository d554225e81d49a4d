#include "stream/limit.hpp"

#include <algorithm>
#include <limits>

#include "bench/measure/by_ranks.hpp"

namespace quartet::stream {

namespace {

// What a probe of additions by all ranks takes. It stands beside the limit and need not be as long
// as a run.
constexpr Seconds part_time{0.02};

// Senders that the receiver can reach only over a network.
std::int64_t remote_senders(const Route& route, const comm::Topology& topology) {
    return std::ranges::count_if(
        route.senders, [&](int sender) { return !topology.same_node(sender, route.receiver); });
}

const Route* route_received_by(int rank, const Problem& problem) {
    const Route* route = problem.route_of(rank);
    return route != nullptr && route->receiver == rank ? route : nullptr;
}

// Whether all ranks push or receive, and share a memory in which each core could add.
bool may_all_add(const Problem& problem, bench::Session& session) {
    std::int64_t ranks = 0;
    std::int64_t remote = 0;
    for (const Route& route : problem.routes) {
        ranks += std::ssize(route.senders) + 1;
        remote += remote_senders(route, session.topology());
    }
    return session.device().memory_kind() == device::MemoryKind::host && remote == 0 &&
           ranks == session.world().size();
}

// The bytes of the target, and of each source, that each of the route's ranks would add.
Bytes part_of(const Problem& problem, const Route& route) {
    const std::int64_t ranks = std::ssize(route.senders) + 1;
    return bytes_of<float>((problem.elements() + ranks - 1) / ranks);
}

}  // namespace

void PushLimit::count(bench::Arena& arena, const Problem& problem, bench::Session& session) {
    const int rank = session.world().rank();
    const Route* route = problem.route_of(rank);
    if (route == nullptr) {
        return;
    }
    if (may_all_add(problem, session)) {
        arena.count(
            (1 + std::ssize(route->senders)) * part_of(problem, *route) + bytes_of<double>(1),
            bench::Room::device);
    }
    if (route->receiver == rank) {  // a target, a source for each sender, and the probe's result
        arena.count((1 + std::ssize(route->senders)) * problem.size + bytes_of<double>(1),
                    bench::Room::device);
    }
    if (remote_senders(*route, session.topology()) > 0) {
        arena.count(problem.size, bench::Room::device);
    }
}

PushLimit::PushLimit(bench::Session& session, const Problem& problem)
    : session_(session),
      problem_(problem),
      received_(route_received_by(session.world().rank(), problem)) {
    if (received_ != nullptr) {
        // As many sources as there are senders: what the receiver reads is as large.
        const auto senders = static_cast<int>(received_->senders.size());
        local_add_.emplace(session.device(), bench::AccessPattern::add, problem.size, senders,
                           &session.found_ways());
        // As many additions as in a run: the more follow on one another, the more of the vectors
        // a large cache keeps.
        local_passes_ = local_add_->passes_for(bench::longest_probe_time, problem.pushes * senders,
                                               session.stream());
    }
    way_ = bench::by_ranks(local_add_ ? local_add_->way() : "", session.world());
    if (may_all_add(problem, session)) {
        const Route* route = problem.route_of(session.world().rank());
        if (route != nullptr) {
            prepare_adding_by_all(*route);
        }
        part_passes_ = static_cast<int>(
            session.world().minimum(part_ ? part_passes_ : std::numeric_limits<int>::max()));
    }
    for (const Route& route : problem.routes) {
        const auto remote = std::ranges::find_if(route.senders, [&](int sender) {
            return !session.topology().same_node(sender, route.receiver);
        });
        if (remote != route.senders.end()) {
            links_.push_back(std::make_unique<bench::PairProbe>(
                session.transport(comm::TransportRegistry::plain_mpi()), session.world(), *remote,
                route.receiver, problem.size));
        }
    }
}

void PushLimit::prepare_adding_by_all(const Route& route) {
    const auto senders = static_cast<int>(route.senders.size());
    part_.emplace(session_.device(), bench::AccessPattern::add, part_of(problem_, route), senders,
                  &session_.found_ways());
    part_passes_ = part_->passes_for(part_time, problem_.pushes * senders, session_.stream());
}

// A run's additions on this rank, by a probe of one source for each sender.
double PushLimit::additions(bench::MemoryProbe& probe, const Route& route, int passes) {
    const auto senders = static_cast<int>(std::ssize(route.senders));
    probe.fill_target(session_.stream());       // as PushCase::prepare does before a run
    probe.measure(senders, session_.stream());  // which finds the caches as another left them
    return static_cast<double>(problem_.pushes * senders) *
           probe.measure(passes, session_.stream()).value;
}

// This rank's part of them, all ranks at the same time.
double PushLimit::adding_by_all() {
    return part_ ? additions(*part_, *problem_.route_of(session_.world().rank()), part_passes_) : 0;
}

double PushLimit::adding() {
    return local_add_ ? additions(*local_add_, *received_, local_passes_) : 0;
}

// The slowest link's messages of one run.
double PushLimit::sending() {
    constexpr int messages = 3;
    double seconds = 0;
    std::size_t link = 0;
    for (const Route& route : problem_.routes) {
        const std::int64_t remote = remote_senders(route, session_.topology());
        if (remote > 0) {
            const Seconds message = links_[link++]->measure(messages, session_.stream());
            seconds =
                std::max(seconds, static_cast<double>(problem_.pushes * remote) * message.value);
        }
    }
    return seconds;
}

std::vector<bench::LimitComponent> PushLimit::measure() {
    std::vector<bench::LimitComponent> components{
        {"local add", {session_.world().maximum(adding())}}};
    components.front().way = way_;
    if (part_passes_ > 0) {
        components.front().all_ranks = {session_.world().maximum(adding_by_all())};
        components.front().ranks = static_cast<int>(std::ssize(problem_.routes));
    }
    if (!links_.empty()) {
        components.push_back({"pair link", {session_.world().maximum(sending())}});
    }
    return components;
}

}  // namespace quartet::stream
