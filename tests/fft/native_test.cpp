#include "fft/formulations.hpp"

#include <gmock/gmock.h>

#include "comm/mpi/shared_folder.hpp"
#include "core/files/file.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "fft/fake_session.hpp"
#include "support/reference_transform.hpp"

namespace quartet::fft {
namespace {

using bench::Formulation;
using testing::HasSubstr;

class NativeCaseTest : public testing::Test {
  protected:
    static std::vector<Point> values(const device::View<Point>& view) {
        return {view.span().begin(), view.span().end()};
    }

    /// This rank's part of the right result.
    [[nodiscard]] std::vector<Wide> expected(const Problem& problem) const {
        std::vector<Point> x(static_cast<std::size_t>(problem.points));
        fill_points(x, options.seed, 0, 1);
        const std::vector<Wide> all = reference_transform(x);
        const IndexOrder order = problem.output_order(world.size(), world.rank());
        std::vector<Wide> mine;
        for (std::int64_t row = 0; row < order.rows; ++row) {
            for (std::int64_t column = 0; column < order.columns; ++column) {
                mine.push_back(all[static_cast<std::size_t>(order.index(row, column))]);
            }
        }
        return mine;
    }

    static void run(TransformCase& subject, bench::Session& session) {
        subject.prepare();
        session.stream().synchronize();
        session.world().barrier();
        subject.run();
        session.stream().synchronize();
    }

    bench::CommonOptions options = short_runs();
    const comm::Communicator world = comm::Communicator::world();
};

struct TransportAndOrder {
    std::string transport;
    ResultOrder order;
};

void PrintTo(const TransportAndOrder& pair, std::ostream* out) {
    *out << name(pair.order) << " over " << pair.transport;
}

class NativeOverTransports : public NativeCaseTest,
                             public testing::WithParamInterface<TransportAndOrder> {
  protected:
    // Skips the test, on all ranks alike, where the transport cannot be had.
    void SetUp() override {
        session = make_session(options);
        variant.transport = GetParam().transport;
        if (const auto reason =
                session->registry().why_not(variant.transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }

    [[nodiscard]] static Problem problem(std::int64_t tiles, std::int64_t length) {
        return {tiles * length, tiles, GetParam().order};
    }

    [[nodiscard]] NativePlan plan(const Problem& problem) {
        return plan_native(*session, variant.transport, problem, {});
    }

    std::unique_ptr<bench::Session> session;
    bench::Variant variant{Formulation::native, "host", ""};
};

INSTANTIATE_TEST_SUITE_P(All, NativeOverTransports,
                         testing::Values(TransportAndOrder{"shm", ResultOrder::transposed},
                                         TransportAndOrder{"shm", ResultOrder::natural},
                                         TransportAndOrder{"mpi", ResultOrder::transposed},
                                         TransportAndOrder{"mpi", ResultOrder::natural},
                                         TransportAndOrder{"rma", ResultOrder::transposed},
                                         TransportAndOrder{"rma", ResultOrder::natural}),
                         [](const auto& instance) {
                             return instance.param.transport + "_" +
                                    std::string(name(instance.param.order));
                         });

TEST_P(NativeOverTransports, IsTheTransformForAnySize) {
    for (const auto& [tiles, length] : {std::pair{64, 64},
                                        {10, 80},
                                        {512, 96},
                                        {7, 100},
                                        {11, 13},
                                        {1, 64},
                                        {64, 1},
                                        {2, 3},
                                        {1, 1},
                                        {3, 225}}) {
        const Problem what = problem(tiles, length);
        const auto subject = make_case(*session, plan(what));

        run(*subject, *session);

        EXPECT_TRUE(subject->verify().passed) << tiles << " x " << length;
        const auto right = expected(what);
        ASSERT_EQ(std::ssize(right), subject->result().size());
        EXPECT_LE(relative_error(values(subject->result()), right),
                  rounding_bound(static_cast<std::size_t>(what.points)))
            << tiles << " x " << length;
    }
}

TEST_P(NativeOverTransports, GivesTheSameBitsInEveryRun) {
    const auto subject = make_case(*session, plan(problem(120, 144)));
    run(*subject, *session);
    const std::vector<Point> first = values(subject->result());
    run(*subject, *session);
    EXPECT_EQ(values(subject->result()), first);
}

TEST_P(NativeOverTransports, FindsACorruptedResult) {
    const auto subject = make_case(*session, plan(problem(64, 96)));
    run(*subject, *session);
    EXPECT_TRUE(subject->verify().passed);
    const auto bins = subject->result();
    if (world.rank() == world.size() - 1) {
        bins.span()[static_cast<std::size_t>(bins.size() / 3)] *= 1.0001;
    }
    EXPECT_FALSE(subject->verify().passed) << "on all ranks";

    run(*subject, *session);
    EXPECT_TRUE(subject->verify().passed) << "the next run is right again";
}

TEST_F(NativeCaseTest, MakesAndReadsTilesWithEveryCacheSetting) {
    const SharedFolder folder{world};
    const auto session = make_session(options);
    const Problem what{12 * 80, 12, ResultOrder::transposed};
    for (const FileCache cache : {FileCache::warm, FileCache::drop, FileCache::direct}) {
        bench::DataOptions data;
        data.folder = folder.path() / "data";
        data.generate = bench::Switch::on;
        data.cache = cache;
        std::unique_ptr<TransformCase> in_files;
        try {
            in_files = make_case(*session, plan_native(*session, "mpi", what, data));
            run(*in_files, *session);
        } catch (const FileError&) {  // a file system without direct input
            ASSERT_EQ(cache, FileCache::direct);
            continue;
        }
        EXPECT_TRUE(in_files->verify().passed);
        EXPECT_LE(relative_error(values(in_files->result()), expected(what)), rounding_bound(960));
    }
}

// As on nodes each of which has a folder of its own.
TEST(FftPlan, RefusesOnAllRanksAFolderThatOneRankCannotUse) {
    const TemporaryFolder temporary;
    const auto session = make_session(short_runs());
    const std::filesystem::path taken = temporary.path() / "file";
    OutputFile(taken).commit();
    const bool last = session->world().rank() == session->world().size() - 1;
    Options options;
    options.sizes = {64};
    options.data.folder = last ? taken : temporary.path() / "tiles";
    options.data.generate = bench::Switch::on;

    EXPECT_THAT(message_of<UsageError>([&] { plan_cases(*session, options); }),
                HasSubstr("is not a folder"));
}

}  // namespace
}  // namespace quartet::fft
