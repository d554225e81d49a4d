#include "cg/solve_case.hpp"

#include <gmock/gmock.h>

#include "bench/measure/measure.hpp"
#include "cg/measured_cases.hpp"
#include "cg/plan.hpp"
#include "comm/mpi/shared_folder.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;

const bench::Variant over_mpi{Formulation::native, "host", "mpi"};
const bench::Variant over_shm{Formulation::native, "host", "shm"};

class SolveCaseTest : public MeasuredCases {
  protected:
    static std::vector<Problem> every_way(const std::string& system, std::int64_t size,
                                          int iterations) {
        std::vector<Problem> problems;
        for (const Storage storage : {Storage::full, Storage::symmetric}) {
            problems.push_back({system, size, iterations, storage});
        }
        return problems;
    }
};

double number(const bench::Row& row, std::string_view name) {
    for (const auto& [key, value] : row.details.numbers) {
        if (key == name) {
            return value;
        }
    }
    ADD_FAILURE() << "no " << name;
    return 0;
}

TEST_F(SolveCaseTest, VerifiesEveryStorageAtEverySize) {
    begin();
    for (const bench::Variant& variant : {over_mpi, over_shm}) {
        for (const char* system : {"laplace", "random"}) {
            for (const std::int64_t size : {1, 3, 17, 130}) {
                for (const Problem& problem : every_way(system, size, 20)) {
                    const bench::Row row = measured(variant, problem);
                    EXPECT_TRUE(row.check->passed) << row.name.text();
                    EXPECT_LE(row.check->error, 1) << row.name.text();
                }
            }
        }
    }
}

TEST_F(SolveCaseTest, ThreadsShareTheWork) {
    options.threads = 2;
    begin();
    for (const Problem& problem : every_way("random", 150, 10)) {
        EXPECT_TRUE(measured(over_mpi, problem).check->passed);
    }
}

TEST_F(SolveCaseTest, TheLimitIsReadingTheMatrix) {
    options.limits = bench::Switch::on;
    begin();
    for (const std::int64_t size : {1, 100}) {  // also if some ranks have no rows
        const bench::Row row = measured(over_mpi, every_way("random", size, 5).front());
        EXPECT_EQ(row.limit->what(), "slower of reading the matrix and float64 arithmetic");
        EXPECT_GT(row.limit->seconds.value, 0);
    }
}

TEST_F(SolveCaseTest, RecordsTheResidualHistory) {
    begin();
    for (const Problem& problem : every_way("random", 64, 30)) {
        const bench::Row row = measured(over_mpi, problem);
        ASSERT_EQ(row.details.series.size(), 1U);
        const auto& [name, history] = row.details.series.front();
        EXPECT_EQ(name, "residual_history");
        ASSERT_EQ(history.size(), 31U);
        EXPECT_EQ(history.front(), 1);
        EXPECT_LT(history.back(), 0.5);
        EXPECT_NEAR(history.back(), number(row, "true_residual"), 1e-10);
    }
}

TEST_F(SolveCaseTest, VerificationCatchesAChangedResult) {
    begin();
    for (const Problem& problem : every_way("laplace", 200, 40)) {
        SolveCase subject(*session, over_mpi, problem, {});
        bench::Clocks clocks(0);
        const auto check_of_run = [&](auto change) {
            subject.prepare();
            subject.run(clocks);
            session->stream().synchronize();
            change();
            return subject.verify();
        };
        EXPECT_TRUE(check_of_run([] {}).passed);
        const int last = world.size() - 1;
        const auto spoil = [&](device::View<double> vector, double by) {
            if (world.rank() == last) {
                vector.span()[static_cast<std::size_t>(vector.size() / 2)] += by;
            }
        };
        EXPECT_FALSE(check_of_run([&] { spoil(subject.state().solution, 1e-5); }).passed);
        EXPECT_FALSE(check_of_run([&] { spoil(subject.state().residual, 1e-5); }).passed);
        EXPECT_TRUE(check_of_run([] {}).passed);
    }
}

TEST_F(SolveCaseTest, TheSeedOfAllRanksDecidesTheData) {
    options.seed = world.rank() == 0 ? 1 : 2;  // never so in a program
    begin();
    if (world.size() == 1) {
        GTEST_SKIP() << "one rank has one seed";
    }
    SolveCase subject(*session, over_mpi, every_way("random", 64, 20).front(), {});
    bench::Clocks clocks(0);
    subject.prepare();
    try {
        subject.run(clocks);
        EXPECT_FALSE(world.all(subject.verify().passed));
    } catch (const Failure&) {  // rows of two matrices need not make one that is positive definite
    }
    world.barrier();
}

TEST_F(SolveCaseTest, GivesTheSameBitsFromFiles) {
    begin();
    const SharedFolder folder(world);
    bench::DataOptions data;
    data.folder = folder.path() / "data";
    data.generate = bench::Switch::on;
    data.keep = bench::Switch::on;
    for (const Problem& problem : every_way("random", 75, 25)) {
        const bench::Row in_memory = measured(over_mpi, problem);
        const bench::Row in_files = measured(over_mpi, problem, data);
        EXPECT_TRUE(in_files.check->passed);
        EXPECT_EQ(in_files.details.series, in_memory.details.series);
        EXPECT_EQ(in_files.name.text(), in_memory.name.text());
    }
    for (int rank = 0; rank < world.size(); ++rank) {
        const auto file = folder.path() / "data" / ("X-" + std::to_string(rank) + ".npy");
        EXPECT_EQ(read_npy_header(file).shape, Shape{block_range(75, world.size(), rank).size()});
    }
}

class PlannedCaseTest : public SolveCaseTest {
  protected:
    PlannedCaseTest() { begin(); }
};

TEST_F(PlannedCaseTest, IsNamedByWhatChangesTheWork) {
    const Problem problem{"laplace", 8192, 500, Storage::symmetric};
    EXPECT_EQ(planned_case(*session, over_shm, problem, {}).name.text(),
              "cg/native/host/shm/laplace/symmetric/classic/n:8192/iterations:500/ranks:" +
                  std::to_string(world.size()) + "/threads:1");
}

TEST_F(PlannedCaseTest, PlansTheShareOfTheMatrixAndLittleMore) {
    for (const Problem& problem : every_way("laplace", 4096, 10)) {
        const auto memory =
            static_cast<double>(planned_case(*session, over_mpi, problem, {}).memory.value);
        const double share = 4096.0 * 4096.0 * (problem.storage == Storage::full ? 8 : 4) /
                             static_cast<double>(world.size());
        EXPECT_GE(memory, share);
        EXPECT_LE(memory, 1.05 * share + 300 * 4096);
    }
}

TEST_F(PlannedCaseTest, PlansSharedMemoryWhereItUsesWindows) {
    const Problem full{"laplace", 1000, 1, Storage::full};
    const Problem half{"laplace", 1000, 1, Storage::symmetric};
    const std::int64_t rows = block_range(1000, world.size(), world.rank()).size();
    EXPECT_EQ(planned_case(*session, over_mpi, full, {}).shared_memory, Bytes{0});
    EXPECT_EQ(planned_case(*session, over_shm, full, {}).shared_memory, bytes_of<double>(rows));
    EXPECT_EQ(planned_case(*session, over_shm, half, {}).shared_memory,
              bytes_of<double>(rows + (world.size() > 1 ? 1000 : 0)));
}

TEST_F(PlannedCaseTest, IsPlannedForEachStorage) {
    Options wanted;
    wanted.sizes = {64};
    wanted.storages = {Storage::full, Storage::symmetric};
    plan_cases(*session, wanted);
    EXPECT_EQ(session->plan().size(), 2U);
    EXPECT_EQ(session->record().resolved.at("storage"), "full,symmetric");
}

}  // namespace
}  // namespace quartet::cg
