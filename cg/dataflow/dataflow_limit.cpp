#include "cg/dataflow/dataflow_limit.hpp"

namespace quartet::cg {

DataflowLimit::Buffers::Buffers(bench::Arena& arena, const Problem& problem)
    : from(arena.make<double>(problem.size, bench::Room::host)),
      to(arena.make<double>(problem.size, bench::Room::host)) {}

DataflowLimit::DataflowLimit(const RankContext& context, comm::Transport& transport,
                             const Problem& problem, const comm::Roles& roles,
                             device::MatrixShare* share, std::int64_t rows)
    : Limit(context, problem, share, rows),
      workers_(roles.workers()),
      reduces_(roles.of(context.rank()) == comm::Role::reducer),
      iterations_(problem.iterations) {
    if (transport.can(comm::Capability::send_receive)) {
        link_.emplace(transport, context.world, roles.worker_rank(0), roles.reducer_rank(0),
                      bytes_of<double>(problem.largest_rows(roles)));
        return;
    }
    bench::Arena arena(context.device);
    buffers_.emplace(arena, problem);
    copy_.emplace(context.device, buffers_->from.view(), buffers_->to.view());
}

std::vector<bench::LimitComponent> DataflowLimit::measure() {
    constexpr int passes = 16;
    std::vector<bench::LimitComponent> components = Limit::measure();
    if (context_.device.memory_kind() == device::MemoryKind::host) {
        components.front().extend(workers_, context_.world.size());
    }
    const Seconds once = link_ ? workers_ * link_->measure(passes, context_.stream)
                               : copy_->measure(passes, context_.stream);
    const double taking_in = context_.world.maximum(reduces_ ? iterations_ * once.value : 0);
    components.push_back({"taking in p", {taking_in}});
    return components;
}

}  // namespace quartet::cg
