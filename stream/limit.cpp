#include "stream/limit.hpp"

#include <algorithm>

namespace quartet::stream {

namespace {

// Senders that the receiver can reach only over a network.
std::int64_t remote_senders(const Route& route, const comm::Topology& topology) {
    return std::ranges::count_if(
        route.senders, [&](int sender) { return !topology.same_node(sender, route.receiver); });
}

const Route* route_received_by(int rank, const Problem& problem) {
    const Route* route = problem.route_of(rank);
    return route != nullptr && route->receiver == rank ? route : nullptr;
}

}  // namespace

void PushLimit::plan(bench::BufferPlan& plan, const Problem& problem, int rank,
                     const comm::Topology& topology) {
    const Route* route = problem.route_of(rank);
    if (route == nullptr) {
        return;
    }
    if (route->receiver == rank) {  // a target, a source for each sender, and the probe's result
        plan.add((1 + std::ssize(route->senders)) * problem.size + bytes_of<double>(1),
                 bench::Room::device);
    }
    if (remote_senders(*route, topology) > 0) {
        plan.add(problem.size, bench::Room::device);
    }
}

PushLimit::PushLimit(bench::Session& session, const Problem& problem)
    : session_(session),
      problem_(problem),
      received_(route_received_by(session.world().rank(), problem)) {
    if (received_ != nullptr) {
        // As many sources as there are senders: what the receiver reads is as large.
        const auto senders = static_cast<int>(received_->senders.size());
        local_add_.emplace(session.device(), bench::AccessPattern::add, problem.size, senders);
        // As many additions as in a run: the more follow on one another, the more of the vectors
        // a large cache keeps.
        local_passes_ = local_add_->passes_for(bench::longest_probe_time, problem.pushes * senders,
                                               session.stream());
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

// This rank's additions of one run.
double PushLimit::adding() {
    if (!local_add_) {
        return 0;
    }
    const auto additions = static_cast<double>(problem_.pushes * std::ssize(received_->senders));
    local_add_->fill_target(session_.stream());  // as PushCase::prepare does before a run
    return additions * local_add_->measure(local_passes_, session_.stream()).value;
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
    if (!links_.empty()) {
        components.push_back({"pair link", {session_.world().maximum(sending())}});
    }
    return components;
}

}  // namespace quartet::stream
