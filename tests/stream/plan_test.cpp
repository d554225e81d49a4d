#include "stream/plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bench/measured.hpp"
#include "core/message_of.hpp"

namespace quartet::stream {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t elements = 5001;

struct Way {
    Formulation formulation;
    std::string transport;
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << name(way.formulation) << " over " << way.transport;
}

class PushCaseTest : public testing::Test {
  protected:
    PushCaseTest() {
        options.device = "host";
        options.runs = {2, 0.05, 1};
        options.transfer.chunk = kibibytes(4);  // several pieces
        session = std::make_unique<bench::Session>(
            bench::ProgramDescription{.name = "stream", .least_ranks = 2}, options,
            comm::TransportRegistry::standard());
    }

    [[nodiscard]] Problem problem() const {
        return problems({{bytes_of<float>(elements)}, 3, bench::Switch::off}, world.size()).front();
    }

    bench::CommonOptions options;
    std::unique_ptr<bench::Session> session;
    const comm::Communicator world = comm::Communicator::world();
};

class EveryFormulation : public PushCaseTest, public testing::WithParamInterface<Way> {
  protected:
    // Skips the test, on all ranks alike, where the transport cannot be had.
    void SetUp() override {
        if (const auto reason =
                session->registry().why_not(variant.transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }

    const bench::Variant variant{GetParam().formulation, "host", GetParam().transport};
};

INSTANTIATE_TEST_SUITE_P(
    Ways, EveryFormulation,
    testing::Values(Way{Formulation::native, "mpi"}, Way{Formulation::native, "shm"},
                    Way{Formulation::native, "rma"}, Way{Formulation::dataflow, "mpi"},
                    Way{Formulation::dataflow, "shm"}, Way{Formulation::library, "mpi"}),
    [](const auto& way) {
        return fmt::format("{}_{}", name(way.param.formulation), way.param.transport);
    });

TEST_P(EveryFormulation, IsVerifiedBetweenAllAndRank0) {
    const auto rows =
        bench::measure(*session, planned_case(*session, variant, problem()), [](int, int) {});

    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].name.suffix, "paper");
    for (const bench::Row& row : rows) {
        EXPECT_TRUE(row.check->passed);
        EXPECT_EQ(row.check->error, 0);
        EXPECT_EQ(row.limit->what(), "local add");
    }
    for (std::size_t run = 0; run < rows[0].runs.size(); ++run) {
        EXPECT_GT(rows[1].runs[run].real.value, 0);
        EXPECT_LE(rows[1].runs[run].real.value, rows[0].runs[run].real.value)
            << "the sender's clock runs within the whole";
    }
}

TEST_P(EveryFormulation, VerificationCatchesARunTooMany) {
    device::Arena arena(session->device(), device::Arena::Mode::allocate);
    PushCase subject(arena, *session, variant, problem());
    subject.set_up();
    subject.prepare();
    session->stream().synchronize();
    world.barrier();
    subject.run();
    EXPECT_TRUE(subject.verify().passed);

    subject.run();

    const bench::Check check = subject.verify();
    EXPECT_FALSE(check.passed);
    EXPECT_EQ(check.error, static_cast<double>(elements)) << "none of the values is zero";
}

TEST_F(PushCaseTest, IsUnavailableOverATransportThatCannotDoIt) {
    device::Arena arena(session->device(), device::Arena::Mode::plan);
    EXPECT_THAT(message_of<Unavailable>([&] {
                    PushCase(arena, *session, {Formulation::library, "host", "shm"}, problem());
                }),
                AllOf(HasSubstr("shm"), HasSubstr("--transport mpi")));
    EXPECT_THROW(PushCase(arena, *session, {Formulation::native, "host", "nccl"}, problem()),
                 Unavailable);
}

}  // namespace
}  // namespace quartet::stream
