#include "bench/results/whole_task.hpp"

#include "bench/results/samples.hpp"

namespace quartet::bench {

WholeTask whole_task(const StageClock& job, const Row& row) {
    if (!row.error.empty() || !row.name.suffix.empty()) {
        return {};
    }
    WholeTask task;
    for (const Stage stage : {Stage::launch, Stage::mpi_start, Stage::device_start}) {
        task.emplace_back(stage, job.of(stage));
    }
    task.emplace_back(Stage::set_up, row.set_up);
    task.emplace_back(Stage::run, Seconds{median(row.times())});
    task.emplace_back(Stage::write_results, row.write_results);
    return task;
}

}  // namespace quartet::bench
