#include "bench/measure/run_times.hpp"

#include <gmock/gmock.h>

namespace quartet::bench {
namespace {

using testing::IsEmpty;

TEST(RunTimes, TellTheSlowestRankOfEachRole) {
    const std::vector<double> seconds{4, 5, 1, 3, 2};
    std::vector<double> phases(seconds.size() * phase_count);
    for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
        phases[rank * phase_count + static_cast<std::size_t>(Phase::reduce)] = seconds[rank] / 2;
    }

    const auto roles = slowest_by_role(comm::Roles::with_reducers(5, 2), seconds, phases);

    ASSERT_EQ(roles.size(), 2);
    EXPECT_EQ(roles[0].role, comm::Role::reducer);
    EXPECT_EQ(roles[0].rank, 1);
    EXPECT_EQ(roles[0].seconds, 5);
    EXPECT_EQ(roles[0].phases[static_cast<std::size_t>(Phase::reduce)], 2.5);
    EXPECT_EQ(roles[1].role, comm::Role::worker);
    EXPECT_EQ(roles[1].rank, 3);
    EXPECT_EQ(roles[1].seconds, 3);
    EXPECT_EQ(roles[1].phases[static_cast<std::size_t>(Phase::reduce)], 1.5);
}

TEST(RunTimes, TellNoRolesWhereAllRanksWork) {
    const std::vector<double> seconds{1, 2};
    const std::vector<double> phases(2 * phase_count);
    EXPECT_THAT(slowest_by_role(comm::Roles::all_workers(2), seconds, phases), IsEmpty());
}

TEST(RunTimes, OfAJobThatWentOnTellNoRoles) {
    bench::Run run;
    run.roles = {{comm::Role::worker, 1, 2, {}}};
    add_earlier(run, {});
    EXPECT_EQ(run.roles.size(), 1);
    add_earlier(run, {.real = {1}, .cpu = {1}});
    EXPECT_THAT(run.roles, IsEmpty());
}

}  // namespace
}  // namespace quartet::bench
