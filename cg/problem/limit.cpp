#include "cg/problem/limit.hpp"

namespace quartet::cg {

Limit::Limit(const RankContext& context, const Problem& problem, const device::MatrixShare* share)
    : context_(context), traffic_(problem.work(1).bytes) {
    if (share == nullptr || share->storage().empty()) {
        return;
    }
    probe_.emplace(context.device, share->storage());
    probe_->measure(1, context.stream);  // the first pass finds cold caches
    const Seconds pass = probe_->measure(1, context.stream);
    passes_ = bench::passes_in(bench::probe_time_beside(problem.iterations * pass), pass);
}

std::vector<bench::LimitComponent> Limit::measure() {
    double rate = 0;
    if (probe_) {
        const Seconds pass = probe_->measure(passes_, context_.stream);
        rate = static_cast<double>(probe_->traffic().value) / pass.value;
    }
    const double seconds = static_cast<double>(traffic_.value) / context_.world.sum(rate);
    return {{"reading the matrix", {seconds}}};
}

}  // namespace quartet::cg
