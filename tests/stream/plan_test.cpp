#include "stream/plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bench/measured.hpp"
#include "core/message_of.hpp"
#include "stream/spoiling_transport.hpp"

namespace quartet::stream {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr std::int64_t elements = 5001;

class PushCaseTest : public testing::Test {
  protected:
    PushCaseTest() {
        options.device = "host";
        options.runs = {2, 0.05, 1};
        options.transfer.chunk = kibibytes(4);  // several pieces
    }

    std::unique_ptr<bench::Session> make_session(std::int64_t wrong = 0) const {
        const bench::ProgramDescription description{.name = "stream", .least_ranks = 2};
        return std::make_unique<bench::Session>(description, options,
                                                with_spoiling_transport(wrong));
    }

    [[nodiscard]] Problem problem(int pushes = 3, bench::Switch pairs = bench::Switch::off) const {
        const Options wanted{{bytes_of<float>(elements)}, pushes, pairs};
        return problems(wanted, world.size()).front();
    }

    bench::CommonOptions options;
    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
};

struct Way {
    Formulation formulation;
    std::string transport;
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << name(way.formulation) << " over " << way.transport;
}

class EveryFormulation : public PushCaseTest, public testing::WithParamInterface<Way> {
  protected:
    // Skips the test, on all ranks alike, where the transport cannot be had.
    void SetUp() override {
        session = make_session();
        if (const auto reason =
                session->registry().why_not(GetParam().transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }

    std::vector<bench::Row> measured(const Problem& what) {
        const bench::Variant variant{GetParam().formulation, "host", GetParam().transport};
        return bench::measure(*session, planned_case(*session, variant, what), [](int, int) {});
    }

    std::unique_ptr<bench::Session> session;
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
    const auto rows = measured(problem());

    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].name.suffix, "paper");
    for (const bench::Row& row : rows) {
        EXPECT_TRUE(row.check->passed);
        EXPECT_EQ(row.check->error, 0);
        EXPECT_EQ(row.runs.size(), 2U);
        EXPECT_EQ(row.limit->what(), "local add");
        EXPECT_GT(row.limit->seconds.value, 0);
        EXPECT_EQ(row.limit->components.front().ranks, 1);
        EXPECT_GT(row.fraction_of_all_ranks(), 0);
        EXPECT_THAT(row.note, testing::HasSubstr("local add is on 1 of " + std::to_string(size)));
    }
    for (std::size_t run = 0; run < rows[0].runs.size(); ++run) {
        EXPECT_GT(rows[1].runs[run].real.value, 0);
        EXPECT_LE(rows[1].runs[run].real.value, rows[0].runs[run].real.value)
            << "the sender's clock runs within the whole";
    }
}

TEST_P(EveryFormulation, IsVerifiedForEveryPair) {
    const Options wanted{{bytes_of<float>(elements)}, 2, bench::Switch::on};
    for (const Problem& pair : problems(wanted, size)) {
        const auto rows = measured(pair);
        const Route& route = pair.route;
        EXPECT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows.front().name.suffix, "pair:" + std::to_string(route.senders.front()) + "-" +
                                                std::to_string(route.receiver));
        EXPECT_TRUE(rows.front().check->passed);
        EXPECT_GT(rows.front().runs.front().real.value, 0);
        EXPECT_EQ(rows.front().fraction_of_all_ranks().has_value(), size == 2)
            << "others do not add";
    }
}

TEST_P(EveryFormulation, RecordsHowWindowsAreMappedWhereTheyAreReadInPlace) {
    const bool in_place =
        GetParam().transport == "shm" && GetParam().formulation == Formulation::native;
    const auto flags = measured(problem()).front().details.flags;
    ASSERT_EQ(flags.size(), in_place ? 1U : 0U);
    if (in_place) {
        EXPECT_EQ(flags.front().first, "huge_pages");
    }
}

TEST_P(EveryFormulation, VerificationCatchesARunTooMany) {
    const bench::Variant variant{GetParam().formulation, "host", GetParam().transport};
    PushCase subject(*session, variant, problem());
    bench::Clocks clocks(1);
    subject.prepare();
    session->stream().synchronize();
    world.barrier();
    subject.run(clocks);
    EXPECT_TRUE(subject.verify().passed);

    subject.run(clocks);

    const bench::Check check = subject.verify();
    EXPECT_FALSE(check.passed);
    EXPECT_EQ(check.error, static_cast<double>(elements)) << "none of the values is zero";
}

TEST_F(PushCaseTest, CountsTheWrongElementsOnAllRanks) {
    options.transports = {"spoiling"};
    for (const std::int64_t wrong : {0, 1, 17}) {
        const auto session = make_session(wrong);
        const auto rows = bench::measure(
            *session, planned_case(*session, {Formulation::native, "host", "spoiling"}, problem()),
            [](int, int) {});
        EXPECT_EQ(rows.front().check->passed, wrong == 0);
        EXPECT_EQ(rows.front().check->error, static_cast<double>(wrong));
    }
}

TEST_F(PushCaseTest, IsUnavailableOverATransportThatLacksACapability) {
    const auto session = make_session();
    EXPECT_THAT(message_of<Unavailable>([&] {
                    PushCase(*session, {Formulation::library, "host", "spoiling"}, problem());
                }),
                AllOf(HasSubstr("spoiling"), HasSubstr("--transport mpi")));
    EXPECT_THAT(message_of<Unavailable>([&] {
                    PushCase(*session, {Formulation::dataflow, "host", "spoiling"}, problem());
                }),
                AllOf(HasSubstr("spoiling"), HasSubstr("payload channel")));
    EXPECT_THROW(PushCase(*session, {Formulation::native, "host", "nccl"}, problem()), Unavailable);
}

TEST_F(PushCaseTest, AQueueDoesNotReportTheWindowsOfAnEarlierPush) {
    const auto session = make_session();
    if (const auto reason = session->registry().why_not("shm", session->transport_context())) {
        GTEST_SKIP() << *reason;
    }
    const auto row_of = [&](Formulation formulation) {
        const bench::Variant variant{formulation, "host", "shm"};
        return bench::measure(*session, planned_case(*session, variant, problem()), [](int, int) {})
            .front();
    };
    EXPECT_EQ(row_of(Formulation::native).details.flags.size(), 1U);

    const bench::Row queued = row_of(Formulation::dataflow);

    EXPECT_TRUE(queued.details.flags.empty());
    EXPECT_EQ(queued.note, queued.beside_limit());
}

class PlannedCaseTest : public PushCaseTest {
  protected:
    [[nodiscard]] bench::PlannedCase planned(const bench::Variant& variant,
                                             const Problem& what) const {
        const auto session = make_session();
        return planned_case(*session, variant, what);
    }

    const std::string ranks_and_threads = "/ranks:" + std::to_string(size) + "/threads:1";
};

TEST_F(PlannedCaseTest, IsNamedByWhatChangesTheWork) {
    options.threads = 1;
    options.transfer = {};
    Problem usual = problem();
    usual.size = mebibytes(2);
    EXPECT_EQ(planned({Formulation::native, "host", "shm"}, usual).name.text(),
              "stream/native/host/shm/size:2MiB/pushes:3" + ranks_and_threads);

    options.transfer.chunk = kibibytes(64);
    options.transfer.pipeline = comm::Pipeline::off;
    EXPECT_EQ(
        planned({Formulation::native, "host", "shm"}, usual).name.text(),
        "stream/native/host/shm/size:2MiB/pushes:3/chunk:64KiB/pipeline:off" + ranks_and_threads);
}

TEST_F(PlannedCaseTest, PlansSharedMemoryWhereItUsesWindows) {
    const auto shared = [&](const std::string& transport) {
        return planned({Formulation::native, "host", transport}, problem()).shared_memory;
    };
    EXPECT_EQ(shared("mpi"), Bytes{0});
    EXPECT_EQ(shared("shm"), bytes_of<float>(elements));
    EXPECT_EQ(shared("rma"), bytes_of<float>(elements));
}

}  // namespace
}  // namespace quartet::stream
