#include <algorithm>

#include "stream/plan.hpp"

namespace quartet::stream {

namespace {

// Senders that the receiver can reach only over a network.
std::vector<int> remote_senders(const Problem& problem, const comm::Topology& topology) {
    std::vector<int> remote;
    std::ranges::copy_if(problem.senders, std::back_inserter(remote),
                         [&](int sender) { return !topology.same_node(sender, problem.receiver); });
    return remote;
}

}  // namespace

void PushLimit::count(bench::Arena& arena, const Problem& problem, bench::Session& session) {
    const int rank = session.world().rank();
    if (problem.receives(rank)) {  // a target, and a source for each sender
        arena.count((1 + std::ssize(problem.senders)) * problem.size + bytes_of<double>(1),
                    bench::Room::device);
    }
    if (problem.has(rank) && !remote_senders(problem, session.topology()).empty()) {
        arena.count(problem.size, bench::Room::device);
    }
}

PushLimit::PushLimit(bench::Session& session, const Problem& problem)
    : session_(session), problem_(problem) {
    if (problem.receives(session.world().rank())) {
        // As many sources as there are senders: what the receiver reads is as large.
        local_add_.emplace(session.device(), bench::AccessPattern::add, problem.size,
                           static_cast<int>(problem.senders.size()));
        // As many additions as in a run: the more follow on one another, the more of the vectors
        // a large cache keeps.
        passes_ = local_add_->passes_for(bench::longest_probe_time,
                                         static_cast<int>(problem.additions()), session.stream());
    }
    way_ = bench::by_ranks(local_add_ ? local_add_->way() : "", session.world());
    const auto remote = remote_senders(problem, session.topology());
    if (!remote.empty()) {
        link_.emplace(session.transport(comm::TransportRegistry::plain_mpi()), session.world(),
                      remote.front(), problem.receiver, problem.size);
    }
}

std::vector<bench::LimitComponent> PushLimit::measure() {
    double adding = 0;
    if (local_add_) {
        local_add_->fill_target(session_.stream());  // as PushCase::prepare does before a run
        // One source for each sender: finds the caches as another run left them.
        local_add_->measure(static_cast<int>(problem_.senders.size()), session_.stream());
        adding = static_cast<double>(problem_.additions()) *
                 local_add_->measure(passes_, session_.stream()).value;
    }
    std::vector<bench::LimitComponent> components{
        {"local add", {session_.world().maximum(adding)}}};
    components.front().way = way_;
    if (link_) {  // all come in through the receiver's link
        constexpr int messages = 3;
        const auto remote = std::ssize(remote_senders(problem_, session_.topology()));
        const double sending = static_cast<double>(problem_.pushes * remote) *
                               link_->measure(messages, session_.stream()).value;
        components.push_back({"pair link", {session_.world().maximum(sending)}});
    }
    return components;
}

}  // namespace quartet::stream
