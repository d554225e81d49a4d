#include <algorithm>

#include "stream/plan.hpp"

namespace quartet::stream {

namespace {

// The senders on other nodes than the receiver.
std::vector<int> remote_senders(const Problem& problem, const comm::Topology& topology) {
    std::vector<int> remote;
    std::ranges::copy_if(problem.senders, std::back_inserter(remote),
                         [&](int sender) { return !topology.same_node(sender, problem.receiver); });
    return remote;
}

}  // namespace

PushLimit::PushLimit(device::Arena& arena, bench::Session& session, const Problem& problem)
    : session_(session), problem_(problem) {
    if (problem.receives(session.world().rank())) {
        // One source for each sender, so that the receiver reads as much memory as in a run.
        local_add_.emplace(arena, session.device(), bench::AccessPattern::add, problem.size,
                           static_cast<int>(problem.senders.size()));
    }
    const auto remote = remote_senders(problem, session.topology());
    if (!remote.empty()) {
        link_.emplace(arena, session.transport(comm::TransportRegistry::plain_mpi()),
                      session.world(), remote.front(), problem.receiver, problem.size);
    }
}

std::vector<bench::LimitComponent> PushLimit::measure() {
    if (passes_ == 0) {
        // At most as many additions as in a run: the more additions follow one another, the more of
        // the vectors stays in a large cache.
        passes_ = local_add_ ? local_add_->passes_for(bench::longest_probe_time,
                                                      static_cast<int>(problem_.additions()),
                                                      session_.stream())
                             : 1;
        way_ = bench::summarise_over_ranks(local_add_ ? local_add_->way() : "", session_.world());
    }
    double adding = 0;
    if (local_add_) {
        local_add_->fill_target(session_.stream());  // as PushCase::prepare does before a run
        // An untimed pass over all sources: then the caches hold what an earlier run leaves there.
        local_add_->measure(static_cast<int>(problem_.senders.size()), session_.stream());
        adding = static_cast<double>(problem_.additions()) *
                 local_add_->measure(passes_, session_.stream()).value;
    }
    std::vector<bench::LimitComponent> components{
        {"local add", {session_.world().maximum(adding)}}};
    components.front().way = way_;
    if (link_) {  // all remote messages pass the receiver's link
        constexpr int messages = 3;
        const auto remote = std::ssize(remote_senders(problem_, session_.topology()));
        const double sending = static_cast<double>(problem_.pushes * remote) *
                               link_->measure(messages, session_.stream()).value;
        components.push_back({"pair link", {session_.world().maximum(sending)}});
    }
    return components;
}

}  // namespace quartet::stream
