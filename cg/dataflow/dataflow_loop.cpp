#include "cg/dataflow/dataflow_loop.hpp"

#include "cg/dataflow/dataflow_limit.hpp"
#include "comm/mpi/large_count.hpp"
#include "comm/transport/registry/transport_registry.hpp"

namespace quartet::cg {

namespace {

// Before there are windows: they could not be freed while an exception unwinds.
comm::Transport& require_usable(const RankContext& context, comm::Transport& transport) {
    comm::require(transport, comm::Capability::payload_channel, "formulation dataflow");
    check(context.ranks() > 1, "a data flow has a reducer and a worker");
    return transport;
}

}  // namespace

DataflowLoop::DataflowLoop(const RankContext& context, comm::Transport& transport,
                           const Problem& problem)
    : ClassicLoop(context, transport, problem),
      transport_(require_usable(context, transport)),
      roles_(roles_of(bench::Formulation::dataflow, context.ranks())),
      hub_(context.world, &context.trace.track("queue")),
      queues_(hub_, transport, problem, roles_, context.queue) {}

std::vector<double> DataflowLoop::gather(device::View<const double> rows) {
    const std::vector<double> mine = on_host(rows);
    std::vector<double> all(static_cast<std::size_t>(problem_.size));
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < roles_.ranks(); ++rank) {
        bytes.push_back(bytes_of<double>(problem_.rows(roles_, rank).size()).value);
    }
    comm::all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)),
                           comm::RankCounts(bytes), context_.world.handle());
    return all;
}

std::unique_ptr<Limit> DataflowLoop::make_limit() {
    return std::make_unique<DataflowLimit>(context_, transport_, problem_, roles_, share(),
                                           state_.solution.size());
}

}  // namespace quartet::cg
