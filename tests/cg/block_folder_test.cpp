#include "cg/system/block_folder.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "cg/cg_session.hpp"
#include "cg/system/random_system.hpp"
#include "comm/mpi/shared_folder.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using testing::HasSubstr;

class BlockFolderTest : public testing::Test {
  protected:
    static constexpr std::int64_t size = 37;

    [[nodiscard]] static Problem problem(const std::string& system = "random") {
        return {system, size, 1, Storage::full};
    }

    [[nodiscard]] BlockFolder folder(int ranks, bench::Switch generate) const {
        return {shared.path() / "data", problem(), 1, ranks, generate};
    }

    void generate(int ranks) {
        folder(ranks, bench::Switch::on).prepare(*session, system, bench::Switch::on);
    }

    std::unique_ptr<bench::Session> session = make_session();
    const comm::Communicator& world = session->world();
    const SharedFolder shared{world};
    const RandomSystem system{size, 1};
};

TEST_F(BlockFolderTest, AnyRankCountReadsAnyNumberOfBlocks) {
    for (const int blocks : {1, 3, 5, 50}) {
        shared.once([&] { std::filesystem::remove_all(shared.path() / "data"); });
        generate(blocks);
        const BlockFolder data = folder(world.size(), bench::Switch::off);
        data.prepare(*session, system, bench::Switch::off);

        for (std::int64_t row = 0; row < size; ++row) {
            for (const std::int64_t first : {0, 16, 36}) {
                std::vector<double> found(static_cast<std::size_t>(size - first));
                std::vector<double> wanted(found.size());
                data.read_row(row, first, found);
                system.read_row(row, first, wanted);
                EXPECT_EQ(found, wanted) << row << ", " << blocks << " blocks";
            }
        }
        for (const std::int64_t first : {0, 5, 36}) {
            std::vector<double> found(static_cast<std::size_t>(size - first));
            data.read_right_side(first, found);
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_EQ(found[i], system.right_side()[static_cast<std::size_t>(first) + i]);
            }
        }
    }
}

TEST_F(BlockFolderTest, RefusesOtherData) {
    generate(2);
    const auto path = shared.path() / "data";
    EXPECT_THROW(BlockFolder(path, problem("laplace"), 1, 2, bench::Switch::on), UsageError);
    EXPECT_THROW(BlockFolder(path, problem(), 2, 2, bench::Switch::on), UsageError);
    Problem larger = problem();
    larger.size += 1;
    EXPECT_THROW(BlockFolder(path, larger, 1, 2, bench::Switch::on), UsageError);
    EXPECT_NO_THROW(BlockFolder(path, problem(), 1, 7, bench::Switch::off));
    EXPECT_THROW(BlockFolder(shared.path() / "none", problem(), 1, 2, bench::Switch::off),
                 UsageError);
}

TEST_F(BlockFolderTest, RefusesAMissingFileUnlessItMayBeGenerated) {
    generate(3);
    const auto path = shared.path() / "data";
    shared.once([&] { std::filesystem::remove(path / "A-1.npy"); });
    EXPECT_THAT(message_of<UsageError>([&] { static_cast<void>(folder(3, bench::Switch::off)); }),
                HasSubstr("A-1.npy"));
    generate(3);
    EXPECT_NO_THROW(static_cast<void>(folder(3, bench::Switch::off)));
}

TEST_F(BlockFolderTest, RefusesAnInvalidNumberOfBlocks) {
    generate(2);
    const auto path = shared.path() / "data";
    shared.once([&] {
        Manifest manifest = read_manifest(path);
        manifest.tile = 0;
        write_manifest(path, manifest);
    });
    EXPECT_THAT(message_of<UsageError>([&] { static_cast<void>(folder(2, bench::Switch::off)); }),
                HasSubstr("0 blocks"));
}

TEST_F(BlockFolderTest, NeedsTheMemoryOfTheLargestFile) {
    EXPECT_EQ(folder(5, bench::Switch::on).memory(), bytes_of<double>(8 * size));
}

}  // namespace
}  // namespace quartet::cg
