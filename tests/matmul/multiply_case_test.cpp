#include "matmul/multiply_case.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "bench/measured.hpp"
#include "bench/program/plan.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "matmul/native/resident_product.hpp"
#include "matmul/plan.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Where the tiles are: in memory over a transport, or in files.
struct Storage {
    std::string name;
    std::string transport;
    std::optional<FileCache> files;
    std::optional<int> lookahead;
};

void PrintTo(const Storage& storage, std::ostream* out) {
    *out << storage.name;
}

class MultiplyCaseTest : public testing::Test {
  protected:
    MultiplyCaseTest() {
        common.device = "host";
        common.runs = {2, 0.05, 1};
        common.threads = 1;
        if (world.rank() == 0) {
            temporary.emplace();
        }
        folder =
            world.broadcast(world.rank() == 0 ? (temporary->path() / "tiles").string() : "", 0);
    }
    void TearDown() override { world.barrier(); }

    void choose(const Storage& storage) {
        common.transports = {storage.transport};
        common.lookahead = storage.lookahead;
        if (storage.files) {
            options.data = {folder, bench::Switch::on, bench::Switch::off, *storage.files};
        }
    }

    /// The session with its one case planned.
    bench::Session& plan(std::int64_t size, std::int64_t tile) {
        options.sizes = {size};
        options.tile = tile;
        const bench::ProgramDescription description{.name = "matmul"};
        session = std::make_unique<bench::Session>(description, common,
                                                   comm::TransportRegistry::standard());
        plan_cases(*session, options);
        return *session;
    }
    bench::Row measured(std::int64_t size, std::int64_t tile) {
        plan(size, tile);
        return bench::measure(*session, session->plan().front(), [](int, int) {}).front();
    }
    /// One run of the case, which is left for inspection.
    MultiplyCase& run_once(std::int64_t size, std::int64_t tile) {
        plan(size, tile);
        made = session->plan().front().make();
        auto& subject = dynamic_cast<MultiplyCase&>(*made);
        bench::Clocks clocks(0);
        subject.prepare();
        subject.run(clocks);
        return subject;
    }
    [[nodiscard]] Problem problem() const {
        const std::int64_t size = options.sizes.front();
        return {size, std::min(*options.tile, size), common.seed};
    }
    [[nodiscard]] Block block() const {
        return partition(problem(), world.size())[static_cast<std::size_t>(world.rank())];
    }
    /// Ends the case and removes its folder.
    void clear() {
        made.reset();
        world.barrier();
        if (world.rank() == 0) {
            std::filesystem::remove_all(folder);
        }
        world.barrier();
    }
    /// Compares every element with a product in float64.
    void expect_product(MultiplyCase& subject, const Matrix& a, const Matrix& b) {
        const auto reference = product(problem(), a, b);
        const Block own = block();
        for (std::int64_t row = own.rows.begin; row < own.rows.end; ++row) {
            for (std::int64_t column = own.columns.begin; column < own.columns.end; ++column) {
                EXPECT_LT(largest_difference(problem(), reference, {row, column},
                                             subject.product().result({row, column})),
                          1e-5);
            }
        }
    }

    const comm::Communicator world = comm::Communicator::world();
    std::optional<TemporaryFolder> temporary;
    std::filesystem::path folder;
    bench::CommonOptions common;
    Options options;
    std::unique_ptr<bench::Session> session;
    std::unique_ptr<bench::Case> made;  ///< before its session in destruction
};

class EveryStorage : public MultiplyCaseTest, public testing::WithParamInterface<Storage> {
  protected:
    void SetUp() override { choose(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Storages, EveryStorage,
                         testing::Values(Storage{"shared", "shm", {}, {}},
                                         Storage{"own", "mpi", {}, {}},
                                         Storage{"files", "mpi", FileCache::warm, {}},
                                         Storage{"files_one_by_one", "mpi", FileCache::warm, 0},
                                         Storage{"files_far_ahead", "shm", FileCache::drop, 50}),
                         [](const auto& storage) { return storage.param.name; });

TEST_P(EveryStorage, IsTheProductInFloat64) {
    for (const auto& [size, tile] : {std::pair(64, 16), std::pair(50, 16), std::pair(20, 64),
                                     std::pair(1, 1), std::pair(33, 11), std::pair(17, 16)}) {
        MultiplyCase& subject = run_once(size, tile);
        expect_product(subject, whole_matrix(problem(), "A"), whole_matrix(problem(), "B"));
        EXPECT_TRUE(subject.verify().passed) << size << ", " << tile;
        clear();
    }
}

TEST_P(EveryStorage, MeasuresAVerifiedRowWithItsLimit) {
    const bench::Row row = measured(96, 32);
    EXPECT_TRUE(row.check->passed);
    EXPECT_EQ(row.check->tolerance, 1);
    EXPECT_EQ(row.check->precision, "fp32");
    EXPECT_EQ(row.runs.size(), 2U);
    EXPECT_GT(row.limit->seconds.value, 0);
    EXPECT_EQ(row.work.flops.value, 2.0 * 96 * 96 * 96 - 96 * 96);
    EXPECT_THAT(row.name.text(), HasSubstr("/n:96/tile:32/"));
}

TEST_P(EveryStorage, GivesTheSameBitsForTheSameSetUp) {
    std::vector<std::vector<float>> results;
    for (int time = 0; time < 2; ++time) {
        MultiplyCase& subject = run_once(60, 16);
        std::vector<float> all;
        const Block own = block();
        for (std::int64_t row = own.rows.begin; row < own.rows.end; ++row) {
            for (std::int64_t column = own.columns.begin; column < own.columns.end; ++column) {
                const auto tile = subject.product().result({row, column});
                all.insert(all.end(), tile.begin(), tile.end());
            }
        }
        results.push_back(all);
        made.reset();
    }
    EXPECT_EQ(results[0], results[1]);
}

class InFiles : public MultiplyCaseTest {
  protected:
    void SetUp() override { choose({"files", "mpi", FileCache::warm, {}}); }
};
class InMemory : public MultiplyCaseTest {};

TEST_F(InMemory, FailsForAWrongElement) {
    choose({"own", "mpi", {}, {}});
    MultiplyCase& subject = run_once(64, 16);
    EXPECT_TRUE(subject.verify().passed);
    if (world.rank() == world.size() - 1) {
        auto& product = dynamic_cast<ResidentProduct&>(subject.product());
        product.results().back() *= 1.05F;
    }
    const bench::Check check = subject.verify();
    EXPECT_FALSE(check.passed) << "on all ranks";
    EXPECT_GT(check.error, check.tolerance);
}

TEST_F(InMemory, NeedsEachTileOnceInMemory) {
    choose({"shared", "shm", {}, {}});
    common.limits = bench::Switch::off;
    common.verify = bench::Switch::off;
    plan(2048, 512);
    const bench::PlannedCase& planned = session->plan().front();
    EXPECT_EQ(world.sum(static_cast<double>(planned.shared_memory.value)), 2.0 * 2048 * 2048 * 4);
    EXPECT_EQ(world.sum(static_cast<double>(planned.memory.value)), 3.0 * 2048 * 2048 * 4);
}

TEST_F(InMemory, RefusesLookahead) {
    choose({"own", "mpi", {}, 3});
    EXPECT_THAT(message_of<UsageError>([&] { plan(64, 16); }), HasSubstr("--lookahead"));
}

TEST_F(InFiles, MovesTheBytesThatWerePlanned) {
    common.limits = bench::Switch::off;
    for (const Bytes memory : {kibibytes(64), kibibytes(128), mebibytes(4)}) {
        common.memory = memory;
        MultiplyCase& subject = run_once(150, 16);
        subject.verify();
        const auto numbers = subject.details().numbers;
        const auto number = [&](const std::string& name) {
            return std::ranges::find(numbers, name, &std::pair<std::string, double>::first)->second;
        };
        EXPECT_EQ(number("bytes_read") + number("bytes_written"), number("bytes_planned"));
        EXPECT_EQ(number("bytes_written"), 150.0 * 150 * 4);
        EXPECT_LE(number("bytes_best_whole_tiles"), number("bytes_planned"));
        EXPECT_LE(session->plan().front().memory, memory);
        made.reset();
    }
}

TEST_F(InFiles, RefusesTooLittleMemoryAndSaysWhatIsNeeded) {
    common.memory = kibibytes(10);
    common.limits = bench::Switch::off;
    EXPECT_THAT(message_of<UsageError>([&] { plan(150, 50); }),
                AllOf(HasSubstr("KiB per rank (10 KiB are allowed)"), HasSubstr("--tile")));
}

TEST_F(InFiles, RemovesResultsUnlessKept) {
    run_once(64, 16);
    world.barrier();
    EXPECT_TRUE(std::filesystem::exists(folder / "C_3_3.npy"));
    world.barrier();
    made.reset();
    world.barrier();
    EXPECT_FALSE(std::filesystem::exists(folder / "C_3_3.npy"));
    options.data.keep = bench::Switch::on;
    EXPECT_TRUE(run_once(64, 16).verify().passed);
    made.reset();
    world.barrier();
    EXPECT_TRUE(std::filesystem::exists(folder / "C_3_3.npy"));
    EXPECT_EQ(std::ssize(read_manifest(folder).checksums), 3 * 16);
}

TEST_F(InFiles, RefusesToKeepWithoutTheCheck) {
    options.data.keep = bench::Switch::on;
    common.verify = bench::Switch::off;
    EXPECT_THAT(message_of<UsageError>([&] { plan(64, 16); }), HasSubstr("--keep"));
}

TEST_F(InFiles, FailsForAWrongElementInAFile) {
    MultiplyCase& subject = run_once(64, 16);
    world.barrier();
    if (world.rank() == 0) {
        std::fstream file(folder / "C_1_2.npy", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-4, std::ios::end);
        const float wrong = 7;
        file.write(reinterpret_cast<const char*>(&wrong), sizeof wrong);
    }
    world.barrier();
    EXPECT_FALSE(subject.verify().passed);
}

// Data from elsewhere: huge, tiny and subnormal entries.
TEST_F(InFiles, PassesExtremeEntries) {
    for (const auto& [scale_a, scale_b] : {std::pair(1e18F, 1e18F), std::pair(1e30F, 1e-30F),
                                           std::pair(1e-18F, 1e-18F), std::pair(1e-40F, 1.0F)}) {
        options.sizes = {50};
        options.tile = 16;
        const Matrix a = whole_matrix(problem(), "A", scale_a);
        const Matrix b = whole_matrix(problem(), "B", scale_b);
        const bench::TileFolder<float> tiles(folder, manifest_of(problem()),
                                             input_files(problem()));
        const comm::Topology topology(world);
        tiles.generate(world, topology,
                       [&](const bench::TileFile& file, std::span<float> elements) {
                           const auto number = &file - tiles.files().data();
                           const auto [matrix, index] = input_tile(problem(), number);
                           std::ranges::copy(tile_of(problem(), matrix == "A" ? a : b, index),
                                             elements.begin());
                       });
        options.data.generate = bench::Switch::off;
        MultiplyCase& subject = run_once(50, 16);
        EXPECT_TRUE(subject.verify().passed) << scale_a << ", " << scale_b;
        expect_product(subject, a, b);
        clear();
    }
}

TEST_F(InMemory, RefusesTransportsThatWouldSendNothing) {
    choose({"rma", "rma", {}, {}});
    plan(64, 16);
    if (session->registry().why_not("rma", session->transport_context())) {
        GTEST_SKIP() << "rma is not available anyway";
    }
    EXPECT_THAT(message_of<Unavailable>([&] { session->plan().front().make(); }),
                HasSubstr("--transport mpi"));
}

}  // namespace
}  // namespace quartet::matmul
