#include "cg/dataflow/dataflow_limit.hpp"

namespace quartet::cg {

namespace {

/// One worker's rows by a message, as often as there are workers.
class DirectionByLink final : public DirectionProbe {
  public:
    DirectionByLink(const RankContext& context, comm::Transport& transport, const Problem& problem,
                    const comm::Roles& roles)
        : blocks_(roles.workers()),
          link_(transport, context.world, roles.worker_rank(0), roles.reducer_rank(0),
                bytes_of<double>(problem.largest_rows(roles))) {}

    Seconds measure(int passes, device::Stream& stream) override {
        return blocks_ * link_.measure(passes, stream);
    }

  private:
    int blocks_;
    bench::PairProbe link_;
};

/// A copy of all of p within the CPU's memory.
class DirectionByCopy final : public DirectionProbe {
  public:
    DirectionByCopy(const RankContext& context, const DataflowLimit::Buffers& buffers)
        : from_(allocate(buffers.vectors[0], context.device)),
          to_(allocate(buffers.vectors[1], context.device)),
          copy_(context.device, from_.view(), to_.view()) {}

    Seconds measure(int passes, device::Stream& stream) override {
        return copy_.measure(passes, stream);
    }

  private:
    device::Buffer<double> from_;
    device::Buffer<double> to_;
    bench::MemoryProbe copy_;
};

std::unique_ptr<DirectionProbe> make_direction_probe(const RankContext& context,
                                                     const DataflowLimit::Buffers& buffers,
                                                     comm::Transport& transport,
                                                     const Problem& problem,
                                                     const comm::Roles& roles) {
    if (transport.can(comm::Capability::send_receive)) {
        return std::make_unique<DirectionByLink>(context, transport, problem, roles);
    }
    return std::make_unique<DirectionByCopy>(context, buffers);
}

}  // namespace

DataflowLimit::Buffers::Buffers(bench::BufferPlan& plan, const Problem& problem) {
    for (auto& vector : vectors) {
        vector = plan.add<double>(problem.size, bench::Room::host);
    }
}

DataflowLimit::DataflowLimit(const RankContext& context, const Buffers& buffers,
                             comm::Transport& transport, const Problem& problem,
                             const comm::Roles& roles, const device::MatrixShare* share)
    : context_(context),
      reading_(context, problem, share),
      direction_(make_direction_probe(context, buffers, transport, problem, roles)),
      workers_(roles.workers()),
      reduces_(roles.of(context.rank()) == comm::Role::reducer),
      iterations_(problem.iterations) {}

std::vector<bench::LimitComponent> DataflowLimit::measure() {
    constexpr int passes = 16;
    std::vector<bench::LimitComponent> components = reading_.measure();
    if (context_.device.memory_kind() == device::MemoryKind::host) {
        components.front().extend(workers_, context_.world.size());
    }
    const Seconds once = direction_->measure(passes, context_.stream);
    const double taking_in = context_.world.maximum(reduces_ ? iterations_ * once.value : 0);
    components.push_back({"taking in p", {taking_in}});
    return components;
}

}  // namespace quartet::cg
