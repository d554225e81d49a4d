#include "bench/results/whole_task.hpp"

#include <gmock/gmock.h>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

TEST(WholeTask, IsWhatTheJobTookOnceAndOneRunTakesAnew) {
    StageClock job({Seconds{3}, false});
    job.end(Stage::mpi_start);
    job.end(Stage::probe);
    Row row = fake_row({5, 1, 2});
    row.set_up = {10};
    row.write_results = {20};

    const WholeTask task = whole_task(job, row);

    EXPECT_NEAR(total(task).value, 3 + job.of(Stage::mpi_start).value + 10 + 2 + 20, 1e-9);
    const std::vector<Stage> stages{Stage::launch, Stage::mpi_start, Stage::device_start,
                                    Stage::set_up, Stage::run,       Stage::write_results};
    ASSERT_EQ(task.size(), stages.size());
    for (std::size_t part = 0; part < stages.size(); ++part) {
        EXPECT_EQ(task[part].first, stages[part]);
    }
}

TEST(WholeTask, NothingElseIsOne) {
    const StageClock job({Seconds{3}, false});
    Row part = fake_row({1});
    part.name.suffix = paper_suffix;
    for (const Row& row : {part, fake_error("no")}) {
        EXPECT_TRUE(whole_task(job, row).empty());
    }
}

}  // namespace
}  // namespace quartet::bench
