#include "cg/library/library_loop.hpp"

#include <gmock/gmock.h>

#include "bench/measure/measure.hpp"
#include "cg/measured_cases.hpp"
#include "cg/plan.hpp"
#include "cg/solve_case.hpp"
#include "cg/system/random_system.hpp"
#include "core/message_of.hpp"
#include "device/blas.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::HasSubstr;

const bench::Variant library{Formulation::library, "host", "mpi"};
const bench::Variant native{Formulation::native, "host", "mpi"};

class LibraryLoopTest : public MeasuredCases {
  protected:
    std::string refusal_of(const Options& wanted) {
        return message_of<UsageError>([&] { plan_cases(*session, wanted); });
    }
};

TEST_F(LibraryLoopTest, EverySizeIsVerified) {
    begin();
    for (const char* system : {"laplace", "random"}) {
        for (const std::int64_t size : {1, 3, 17, 130}) {  // also if some ranks have no rows
            const bench::Row row = measured(library, {system, size, 20});
            EXPECT_TRUE(row.check->passed) << row.name.text();
        }
    }
}

TEST_F(LibraryLoopTest, ThreadsShareTheWork) {
    options.threads = 2;
    begin();
    EXPECT_TRUE(measured(library, {"random", 150, 10}).check->passed);
}

// The same algorithm: up to rounding, which grows with the iterations.
TEST_F(LibraryLoopTest, HasTheResidualsOfNative) {
    begin();
    const Problem problem{"random", 75, 15};
    const auto found = measured(library, problem).details.series.front().second;
    const auto wanted = measured(native, problem).details.series.front().second;
    EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-9), wanted));
}

TEST_F(LibraryLoopTest, VerificationCatchesAChangedResult) {
    begin();
    SolveCase subject(*session, library, {"random", 90, 20}, {});
    bench::Clocks clocks(0);
    const auto check_of_run = [&](double error) {
        subject.prepare();
        subject.run(clocks);
        session->stream().synchronize();
        if (world.rank() == world.size() - 1) {
            subject.state().solution.span().back() += error;
        }
        return subject.verify().passed;
    };
    EXPECT_TRUE(check_of_run(0));
    EXPECT_FALSE(check_of_run(1e-5));
    EXPECT_TRUE(check_of_run(0)) << "a run begins anew";
}

TEST_F(LibraryLoopTest, HasTheLimitOfNative) {
    options.limits = bench::Switch::on;
    begin();
    const bench::Row row = measured(library, {"random", 100, 5});
    EXPECT_EQ(row.limit->what(), "slower of reading the matrix and float64 arithmetic");
    EXPECT_GT(row.limit->seconds.value, 0);
}

TEST_F(LibraryLoopTest, NotesItsLayoutAndItsBlas) {
    begin();
    EXPECT_THAT(measured(library, {"laplace", 20, 1}).note,
                AllOf(HasSubstr("row-major"), HasSubstr(session->device().blas().description())));
}

TEST_F(LibraryLoopTest, IsUnavailableOverOtherTransportsThanMpi) {
    begin();
    EXPECT_THAT(measured({Formulation::library, "host", "shm"}, {"laplace", 20, 1}).error,
                AllOf(HasSubstr("shm"), HasSubstr("--transport mpi")));
}

TEST_F(LibraryLoopTest, PlansOnlyFullStorageAndClassicOfLists) {
    options.formulations = {Formulation::native, Formulation::library};
    options.transports = {"mpi"};
    begin();
    Options wanted;
    wanted.sizes = {20};
    wanted.storages = {Storage::symmetric};
    EXPECT_THAT(refusal_of(wanted), AllOf(HasSubstr("--formulation library"),
                                          HasSubstr("--storage full --algorithm classic")));
    wanted.storages = {Storage::full};
    wanted.algorithms = {Algorithm::single_reduction};
    EXPECT_THAT(refusal_of(wanted), HasSubstr("--formulation library"));
    session->plan().clear();
    wanted.storages = {Storage::full, Storage::symmetric};
    wanted.algorithms = {Algorithm::classic, Algorithm::single_reduction};
    plan_cases(*session, wanted);
    EXPECT_EQ(session->plan().size(), 5U) << "four of native, one of library";
}

TEST_F(LibraryLoopTest, HasNoCheckpoints) {
    options.formulations = {Formulation::library};
    options.transports = {"mpi"};
    begin();
    Options wanted;
    wanted.sizes = {20};
    wanted.checkpoint.folder = "/nowhere";
    EXPECT_THAT(refusal_of(wanted), AllOf(HasSubstr("--checkpoint"), HasSubstr("library")));
}

TEST_F(LibraryLoopTest, KeepsItsRowsRowMajor) {
    begin();
    const RandomSystem system(30, 1);
    const device::RowBlock block{7, 5, 30};
    bench::Arena arena(session->device());
    LibraryRows rows(*session, arena, block);
    const auto read = [&](std::int64_t row, std::int64_t first, std::span<double> out) {
        system.read_row(row, first, out);
    };

    rows.fill(read);

    std::vector<double> wanted(5 * 30);
    for (std::int64_t row = 0; row < 5; ++row) {
        system.read_row(7 + row, 0,
                        std::span(wanted).subspan(static_cast<std::size_t>(row * 30), 30));
    }
    EXPECT_THAT(rows.storage().span(), testing::ElementsAreArray(wanted));
    std::int64_t next = 7;
    rows.visit([&](std::int64_t row, std::int64_t first, std::span<const double> elements) {
        EXPECT_EQ(row, next);
        EXPECT_EQ(first, 0);
        EXPECT_THAT(elements, testing::ElementsAreArray(wanted.begin() + (row - 7) * 30,
                                                        wanted.begin() + (row - 6) * 30));
        ++next;
    });
    EXPECT_EQ(next, 12);
}

}  // namespace
}  // namespace quartet::cg
