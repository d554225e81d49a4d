#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "comm/mpi/shared_folder.hpp"
#include "core/message_of.hpp"
#include "device/accelerator.hpp"
#include "matmul/plan.hpp"

namespace quartet::matmul {
namespace {

using bench::Formulation;
using testing::HasSubstr;

/// Where a data flow computes, and what moves its partial tiles.
struct Way {
    std::string device;
    std::string transport;

    [[nodiscard]] bool on_gpu() const { return device != "host"; }
};

/// The size of a data flow.
struct Flow {
    std::int64_t size = 0;
    std::int64_t tile = 0;
    int reducers = 1;
    int bound = 16;

    [[nodiscard]] Problem problem() const { return {size, std::min(tile, size), 1}; }
};

class DataflowProductTest : public testing::TestWithParam<Way> {
  protected:
    DataflowProductTest() {
        common.device = GetParam().device;
        common.threads = 1;
        common.formulations = {Formulation::dataflow};
        common.transports = {GetParam().transport};
    }
    void SetUp() override {
        try {
            open_session();
        } catch (const Unavailable& unavailable) {
            GTEST_SKIP() << unavailable.what();
        }
        if (world.size() < 2) {
            GTEST_SKIP() << "a data flow has at least two ranks";
        }
        if (const auto reason =
                session->registry().why_not(GetParam().transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }
    void TearDown() override {
        made.reset();
        world.barrier();
    }
    void open_session() {
        session = std::make_unique<bench::Session>(bench::ProgramDescription{.name = "matmul"},
                                                   common, comm::TransportRegistry::standard());
    }
    void plan(const Flow& flow, const bench::DataOptions& data = {}) {
        made.reset();
        Options options;
        options.data = data;
        options.sizes = {flow.size};
        options.tile = flow.tile;
        options.reducers = flow.reducers;
        common.queue = flow.bound;
        open_session();
        plan_cases(*session, options);
    }
    MultiplyCase& run_twice(const Flow& flow, const bench::DataOptions& data = {}) {
        plan(flow, data);
        made = session->plan().front().make();
        auto& subject = dynamic_cast<MultiplyCase&>(*made);
        bench::Clocks clocks(0);
        for (int run = 0; run < 2; ++run) {  // the second one begins where the first has ended
            subject.prepare();
            world.barrier();
            subject.run(clocks);
            world.barrier();
        }
        return subject;
    }
    /// A figure of the last run, of all ranks; 0 for none.
    static double number(const MultiplyCase& subject, std::string_view key) {
        double found = 0;
        for (const auto& [name, value] : subject.details().numbers) {
            found = name == key ? value : found;
        }
        return found;
    }
    const comm::Communicator world = comm::Communicator::world();
    const SharedFolder folder{world};
    bench::CommonOptions common;
    std::unique_ptr<bench::Session> session;
    std::unique_ptr<bench::Case> made;
};

TEST_P(DataflowProductTest, IsTheProductWithTheSameBitsForAnyQueueAndReducers) {
    const int most = world.size() - 1;
    for (const auto& [size, tile] : {std::pair(60, 13), std::pair(41, 50), std::pair(1, 1)}) {
        std::map<std::int64_t, std::vector<float>> first;  // tiles of C on rank 0, by number
        for (const auto& [reducers, bound] : {std::pair(1, 16), std::pair(1, 1), {most, 2}}) {
            const Flow flow{size, tile, reducers, bound};
            MultiplyCase& subject = run_twice(flow);
            EXPECT_TRUE(subject.verify().passed);
            double owned = 0;
            for_each_tile(whole(flow.problem()), [&](TileIndex index) {
                if (subject.product().owns(index)) {
                    const std::int64_t number = flow.problem().number(index);
                    EXPECT_EQ(number % reducers, world.rank());
                    const auto found = subject.product().result(index);
                    const auto [before, is_new] =
                        first.try_emplace(number, found.begin(), found.end());
                    EXPECT_TRUE(is_new || std::ranges::equal(before->second, found));
                    ++owned;
                }
            });
            EXPECT_EQ(world.sum(owned), std::pow(flow.problem().tiles(), 2))
                << "each tile has one owner";
        }
    }
}

TEST_P(DataflowProductTest, CopiesTwoTilesInAndOneOutForEachProduct) {
    const Flow flow{60, 13, world.size() - 1, 4};
    const MultiplyCase& subject = run_twice(flow);
    const double partials = static_cast<double>(flow.problem().tiles()) *
                            static_cast<double>(flow.problem().matrix_bytes().value);
    EXPECT_EQ(number(subject, "bytes_copied_in"), GetParam().on_gpu() ? 2 * partials : 0);
    EXPECT_EQ(number(subject, "bytes_copied_out"), GetParam().on_gpu() ? partials : 0);
}

TEST_P(DataflowProductTest, ReadsTwoTilesAProductFromFilesAndKeepsC) {
    const Flow flow{60, 13, world.size() - 1, 4};
    const Problem problem = flow.problem();
    MultiplyCase& subject =
        run_twice(flow, {folder.path(), bench::Switch::on, bench::Switch::on, FileCache::drop});
    EXPECT_TRUE(subject.verify().passed);
    Product& product = subject.product();
    const double matrix = static_cast<double>(problem.matrix_bytes().value);
    EXPECT_EQ(number(subject, "bytes_read"), 2 * static_cast<double>(problem.tiles()) * matrix);
    EXPECT_EQ(number(subject, "bytes_written"), matrix);
    const MatrixFiles files(folder.path(), problem, FileCache::warm);
    std::vector<std::byte> file(static_cast<std::size_t>(MatrixFiles::slot_bytes(problem).value));
    for_each_tile(whole(problem), [&](TileIndex tile) {
        if (product.owns(tile)) {
            EXPECT_TRUE(std::ranges::equal(files.read("C", tile, file), product.result(tile)));
        }
    });
}

TEST_P(DataflowProductTest, FailsForAWrongTileOfAReducer) {
    MultiplyCase& subject = run_twice({60, 13, world.size() - 1, 16});
    EXPECT_TRUE(subject.verify().passed);
    if (world.rank() == 0) {
        const_cast<float&>(subject.product().result({0, 0}).front()) += 1;
    }
    EXPECT_FALSE(subject.verify().passed);
}

TEST_P(DataflowProductTest, ItsLimitRecordsWorkersReducersLinkAndStorage) {
    MultiplyCase& subject = run_twice({60, 13, 1, 16}, {folder.path(), bench::Switch::on});
    subject.prepare_limit();
    std::vector<std::string> names;
    for (const bench::LimitComponent& component : subject.limit()) {
        names.push_back(component.name);
        EXPECT_GT(component.seconds.value, 0) << component.name;
        EXPECT_EQ(component.seconds.value, world.maximum(component.seconds.value));
    }
    std::vector<std::string> expected{"SGEMM", "reducers", "storage"};
    if (GetParam().transport == "mpi") {
        expected.insert(expected.begin() + 2, "link to the reducers");
    }
    if (GetParam().on_gpu()) {
        expected.insert(expected.begin() + 1, "copies to and from GPUs");
    }
    EXPECT_EQ(names, expected);
}

TEST_P(DataflowProductTest, RefusesTooFewRanksAndSaysTheNumberNeeded) {
    EXPECT_THAT(message_of<UsageError>([&] {
                    plan({8, 4, world.size(), 1});
                }),
                HasSubstr("start at least " + std::to_string(world.size() + 1) + " ranks"));
}

TEST_P(DataflowProductTest, TakesTheGpuMemoryThatItsPlanAnnounces) {
    if (!GetParam().on_gpu()) {
        GTEST_SKIP() << "the host has no memory of its own to be counted";
    }
    const auto free = [&] {
        world.barrier();
        const Bytes bytes = session->device().accelerator()->memory().free;
        world.barrier();
        return bytes;
    };
    common.limits = bench::Switch::off;
    const Flow flow{600, 130, 1, 4};
    plan(flow);
    session->transport(GetParam().transport);
    const Bytes before = free();
    made = session->plan().front().make();
    const Bytes taken = before - free();
    const Bytes planned = session->plan().front().device_memory;
    // A worker's probe of its arithmetic leaves three matrices of a tile's edge to later
    // allocations.
    const Bytes tile = flow.problem().tile_bytes();
    EXPECT_GE(taken, planned);
    EXPECT_LT(taken, planned + (world.rank() > 0 ? 3 * tile : Bytes{}) + tile);  // whole pages
}

INSTANTIATE_TEST_SUITE_P(Ways, DataflowProductTest,
                         testing::Values(Way{"host", "mpi"}, Way{"host", "shm"}, Way{"cuda", "mpi"},
                                         Way{"cuda", "staged"}, Way{"cuda", "ipc"}),
                         [](const auto& instance) {
                             return instance.param.device + "_" + instance.param.transport;
                         });

}  // namespace
}  // namespace quartet::matmul
