#include "cg/make_loop.hpp"

#include "cg/dataflow/dataflow_limit.hpp"
#include "cg/dataflow/dataflow_reducer.hpp"
#include "cg/dataflow/dataflow_worker.hpp"
#include "cg/library/library_loop.hpp"
#include "cg/native/native_classic_loop.hpp"
#include "cg/native/single_reduction_loop.hpp"

namespace quartet::cg {

namespace {

bool works(const RankContext& context) {
    return roles_of(bench::Formulation::dataflow, context.ranks()).of(context.rank()) ==
           comm::Role::worker;
}

void count_dataflow(bench::Arena& arena, const RankContext& context,
                    const comm::OperationMemory& transport, const Problem& problem) {
    if (works(context)) {
        Limit::Buffers(arena, problem);
        DataflowWorker::count(arena, context, problem);
        DataflowWorker::Buffers(arena, context, problem);
    } else {
        DataflowReducer::make_direction(arena, problem);
    }
    DataflowQueues::count(arena, transport, problem,
                          roles_of(bench::Formulation::dataflow, context.ranks()), context.queue,
                          context.rank());
    DataflowLimit::Buffers(arena, problem);
}

}  // namespace

std::unique_ptr<CgLoop> make_loop(const RankContext& context, comm::Transport& transport,
                                  const Problem& problem, bench::Formulation formulation) {
    switch (formulation) {
        case bench::Formulation::dataflow:
            if (works(context)) {
                return std::make_unique<DataflowWorker>(context, transport, problem);
            }
            return std::make_unique<DataflowReducer>(context, transport, problem);
        case bench::Formulation::library:
            return std::make_unique<LibraryLoop>(context, transport, problem);
        case bench::Formulation::native:
            break;
    }
    if (problem.algorithm == Algorithm::classic) {
        return std::make_unique<NativeClassicLoop>(context, transport, problem);
    }
    return std::make_unique<SingleReductionLoop>(context, transport, problem);
}

void count_loop(bench::Arena& arena, const RankContext& context,
                const comm::OperationMemory& transport, const Problem& problem,
                bench::Formulation formulation) {
    switch (formulation) {
        case bench::Formulation::dataflow:
            count_dataflow(arena, context, transport, problem);
            break;
        case bench::Formulation::library:
            LibraryRows::count(arena, context.device, row_block(context, problem));
            Limit::Buffers(arena, problem);
            LibraryLoop::Buffers(arena, context, problem);
            break;
        case bench::Formulation::native:
            DistributedMatrix::count(arena, context, transport, problem);
            DistributedMatrix::Buffers(arena, context, problem);
            Limit::Buffers(arena, problem);
            NativeLoop::Buffers(arena, context, problem);
            break;
    }
}

}  // namespace quartet::cg
