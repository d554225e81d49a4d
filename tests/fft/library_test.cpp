#include "fft/formulations.hpp"

#include <gmock/gmock.h>

#include "bench/measured.hpp"
#include "core/message_of.hpp"
#include "fft/fake_session.hpp"

namespace quartet::fft {
namespace {

using bench::Formulation;
using testing::HasSubstr;

class LibraryCaseTest : public testing::Test {
  protected:
    // Skips the test, on all ranks alike, where FFTW-MPI was not found.
    void SetUp() override {
        try {
            plan({64 * 48, 48, ResultOrder::natural});
        } catch (const Unavailable& reason) {
            GTEST_SKIP() << reason.what();
        }
    }

    void plan(const Problem& problem) {
        device::Arena arena(session->device(), device::Arena::Mode::plan);
        static_cast<void>(make_library_case(arena, *session, problem, {}));
    }

    const comm::Communicator world = comm::Communicator::world();
    std::unique_ptr<bench::Session> session = make_session(short_runs());
};

TEST_F(LibraryCaseTest, IsMeasuredAndVerifiedInBothOrders) {
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const Planning planning : {Planning::estimate, Planning::measure}) {
            Options wanted;
            wanted.planning = planning;
            const Problem problem{48 * 100, 48, order};
            const auto rows = bench::measure(
                *session,
                planned_case(*session, {Formulation::library, "host", "mpi"}, problem, wanted),
                [](int, int) {});
            ASSERT_EQ(rows.size(), 1U);
            EXPECT_EQ(rows[0].error, "");
            EXPECT_TRUE(rows[0].check->passed) << name(order);
            EXPECT_THAT(rows[0].note, HasSubstr(name(planning)));
        }
    }
}

TEST_F(LibraryCaseTest, RefusesWhatFftwCannotTransform) {
    const auto refusal = [&](const Problem& problem) {
        return message_of<Unavailable>([&] { plan(problem); });
    };
    EXPECT_THAT(refusal({1, 1, ResultOrder::natural}), HasSubstr("single point"));
    EXPECT_THAT(refusal({std::int64_t{1} << 33, 1 << 17, ResultOrder::natural}),
                HasSubstr("32-bit"));
    if (world.size() > 1) {
        EXPECT_THAT(refusal({1009, 1, ResultOrder::transposed}), HasSubstr("no plan"));
    }
}

}  // namespace
}  // namespace quartet::fft
