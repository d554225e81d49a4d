#include "fft/dataflow/dataflow_role.hpp"

#include "fft/dataflow/dataflow_reducer.hpp"
#include "fft/dataflow/dataflow_worker.hpp"

namespace quartet::fft {

std::unique_ptr<DataflowRole> make_dataflow_role(bench::Session& session,
                                                 const DataflowPlan& plan) {
    if (plan.role == comm::Role::worker) {
        return std::make_unique<DataflowWorker>(session, plan);
    }
    return std::make_unique<DataflowReducer>(session, plan);
}

}  // namespace quartet::fft
