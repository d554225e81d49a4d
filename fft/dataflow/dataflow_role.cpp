#include "fft/dataflow/dataflow_role.hpp"

#include "fft/dataflow/dataflow_reducer.hpp"
#include "fft/dataflow/dataflow_worker.hpp"
#include "fft/files.hpp"

namespace quartet::fft {

std::unique_ptr<DataflowRole> make_dataflow_role(bench::Session& session,
                                                 const DataflowPlan& plan) {
    if (plan.data.in_files()) {
        prepared_tiles(session, plan.problem, plan.data);
    }
    if (plan.role == comm::Role::worker) {
        return std::make_unique<DataflowWorker>(session, plan);
    }
    return std::make_unique<DataflowReducer>(session, plan);
}

}  // namespace quartet::fft
