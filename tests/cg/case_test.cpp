#include "cg/case.hpp"

#include <gmock/gmock.h>

#include "bench/measured.hpp"
#include "cg/cg_session.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::HasSubstr;

const bench::Variant over_mpi{Formulation::native, "host", "mpi"};
const bench::Variant over_shm{Formulation::native, "host", "shm"};
const bench::Variant library{Formulation::library, "host", "mpi"};

/// Cases that are planned and measured as the program does, one run of each.
class SolveCaseTest : public testing::Test {
  protected:
    SolveCaseTest() {
        options.runs = {1, 0.05, 0};
        options.limits = bench::Switch::off;  // they take longer than the cases
    }

    void begin() { session = make_session(options); }

    bench::Row measured(const bench::Variant& variant, const Problem& problem) {
        return bench::measure(*session, planned_case(*session, variant, problem, {}),
                              [](int, int) {})
            .front();
    }
    static std::vector<Problem> every_storage(const std::string& system, std::int64_t size,
                                              int iterations) {
        return {{system, size, iterations, Storage::full},
                {system, size, iterations, Storage::symmetric}};
    }

    bench::CommonOptions options;
    std::unique_ptr<bench::Session> session;
    const comm::Communicator world = comm::Communicator::world();
};

TEST_F(SolveCaseTest, VerifiesEveryStorageAtEverySize) {
    begin();
    for (const bench::Variant& variant : {over_mpi, over_shm}) {
        for (const char* system : {"laplace", "random"}) {
            for (const std::int64_t size : {1, 3, 17, 130}) {
                for (const Problem& problem : every_storage(system, size, 20)) {
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
    for (const Problem& problem : every_storage("random", 150, 10)) {
        EXPECT_TRUE(measured(over_mpi, problem).check->passed);
    }
}

TEST_F(SolveCaseTest, VerificationCatchesAChangedResult) {
    begin();
    for (const Problem& problem : every_storage("laplace", 200, 40)) {
        device::Arena arena(session->device(), device::Arena::Mode::allocate);
        SolveCase subject(arena, *session, over_mpi, problem, {});
        subject.set_up();
        const auto check_of_run = [&](auto change) {
            subject.prepare();
            subject.run();
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

// The other ranks do nothing meanwhile.
TEST_F(SolveCaseTest, ItsMemoryIsPlannedByEachRankAlone) {
    options.limits = bench::Switch::on;
    options.formulations = {Formulation::native, Formulation::library};
    if (world.size() > 1) {
        options.formulations.push_back(Formulation::dataflow);
    }
    options.transports = {"mpi", "shm"};
    begin();
    Options wanted;
    wanted.sizes = {1000};
    wanted.storages = {Storage::full, Storage::symmetric};
    plan_cases(*session, wanted);
    for (const bench::PlannedCase& planned : session->plan()) {
        session->transport(planned.name.variant.transport);
    }
    if (world.rank() == 0) {
        for (const bench::PlannedCase& planned : session->plan()) {
            device::Arena arena(session->device(), device::Arena::Mode::plan);
            try {
                planned.make(arena)->prepare_limit(arena);
                EXPECT_GT(arena.needs().host, Bytes{}) << planned.name.text();
            } catch (const Unavailable&) {
                EXPECT_EQ(planned.name.variant.formulation, Formulation::library);
            }
        }
    }
    world.barrier();
}

class LibraryTest : public SolveCaseTest {
  protected:
    std::string refusal_of(const Options& wanted) {
        return message_of<UsageError>([&] { plan_cases(*session, wanted); });
    }
};

TEST_F(LibraryTest, EverySizeIsVerified) {
    begin();
    for (const char* system : {"laplace", "random"}) {
        for (const std::int64_t size : {1, 3, 17, 130}) {  // also if some ranks have no rows
            const bench::Row row = measured(library, {system, size, 20});
            EXPECT_TRUE(row.check->passed) << row.name.text();
        }
    }
}

// The same algorithm: up to rounding, which grows with the iterations.
TEST_F(LibraryTest, HasTheResidualsOfNative) {
    begin();
    const Problem problem{"random", 75, 15};
    const auto found = measured(library, problem).details.series.front().second;
    const auto wanted = measured(over_mpi, problem).details.series.front().second;
    EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-9), wanted));
}

TEST_F(LibraryTest, IsUnavailableOverOtherTransportsThanMpi) {
    begin();
    EXPECT_THAT(measured({Formulation::library, "host", "shm"}, {"laplace", 20, 1}).error,
                AllOf(HasSubstr("shm"), HasSubstr("--transport mpi")));
}

TEST_F(LibraryTest, PlansOnlyFullStorageOfLists) {
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

TEST_F(LibraryTest, HasNoCheckpoints) {
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
