#include <gmock/gmock.h>

#include "bench/measure/measure.hpp"
#include "cg/measured_cases.hpp"
#include "cg/plan.hpp"
#include "cg/solve_case.hpp"
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

TEST_F(LibraryLoopTest, PlansOnlyFullStorageOfLists) {
    options.formulations = {Formulation::native, Formulation::library};
    options.transports = {"mpi"};
    begin();
    Options wanted;
    wanted.sizes = {20};
    wanted.storages = {Storage::symmetric};
    EXPECT_THAT(refusal_of(wanted),
                AllOf(HasSubstr("--formulation library"), HasSubstr("--storage full")));
    session->plan().clear();
    wanted.storages = {Storage::full, Storage::symmetric};
    plan_cases(*session, wanted);
    EXPECT_EQ(session->plan().size(), 3U) << "two of native, one of library";
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

}  // namespace
}  // namespace quartet::cg
