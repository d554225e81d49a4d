#include <algorithm>

#include "fft/formulations.hpp"

namespace quartet::fft {

TransformLimit::TransformLimit(device::Arena& arena, bench::Session& session,
                               comm::Transport& transport, const Problem& problem,
                               device::View<const Point> source, device::View<Point> target)
    : session_(session),
      problem_(problem),
      copy_(session.device(), as_real(source.part(0, std::min(source.size(), target.size()))),
            as_real(target.part(0, std::min(source.size(), target.size())))),
      arithmetic_(session.device()) {
    const int ranks = session.world().size();
    if (ranks > 1) {
        exchange_.emplace(arena, transport, session.world(),
                          bytes_of<Point>(divide_up(problem.points / ranks, ranks)));
    }
}

std::vector<bench::LimitComponent> TransformLimit::measure() {
    if (passes_ == 0) {
        constexpr int most_passes = 1000;
        passes_ = copy_.traffic().value > 0
                      ? copy_.passes_for(bench::probe_time, most_passes, session_.stream())
                      : 1;
        way_ = bench::summarise_over_ranks(copy_.way(), session_.world());
    }
    const comm::Communicator& world = session_.world();
    const auto n = static_cast<double>(problem_.points);
    double rate = 0;
    if (copy_.traffic().value > 0) {
        const Seconds pass = copy_.measure(passes_, session_.stream());
        rate = static_cast<double>(copy_.traffic().value) / pass.value;
    }
    constexpr double traffic_per_point = 64;
    const double memory = traffic_per_point * n / world.sum(rate);
    std::vector<bench::LimitComponent> found{{"memory copy", {memory}}};
    found.front().way = way_;
    const Flops flops = problem_.work(world.size()).flops;
    found.push_back(arithmetic_.measure(flops, world, session_.stream()));
    if (!exchange_) {
        return found;
    }
    const auto ranks = static_cast<double>(world.size());
    const double sent =
        (problem_.order == ResultOrder::natural ? 2 : 1) * 16 * n * (ranks - 1) / (ranks * ranks);
    const Seconds exchange = exchange_->measure(session_.stream());
    const double bandwidth = static_cast<double>(exchange_->sent().value) / exchange.value;
    found.push_back({"all-to-all", {bandwidth > 0 ? sent / bandwidth : 0}});
    return found;
}

}  // namespace quartet::fft
