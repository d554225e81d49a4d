#include "matmul/tiles/recorded_tiles.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "core/check.hpp"
#include "core/files/checksum.hpp"
#include "core/files/tiles.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::matmul {
namespace {

/// Every tile has these four elements.
class SameTiles final : public RankTiles {
  public:
    std::span<const float> input(Operand, TileIndex) override { return elements; }
    std::span<const float> result(TileIndex) override { return elements; }

    std::vector<float> elements{1, 2, 3, 4};
};

class RecordedTilesTest : public testing::Test {
  protected:
    RecordedTilesTest() {
        Manifest manifest;
        manifest.kernel = "matmul";
        manifest.shape = {4, 4};
        manifest.tile = 2;
        manifest.order = "row-major";
        manifest.checksums["A_0_1.npy"] = checksum(std::as_bytes(std::span(tiles.elements)));
        write_manifest(folder.path(), manifest);
    }

    const TemporaryFolder folder;
    SameTiles tiles;
};

TEST_F(RecordedTilesTest, PassOnWhatIsAsRecorded) {
    RecordedTiles recorded(folder.path(), tiles);
    EXPECT_THAT(recorded.input(Operand::a, {0, 1}), testing::ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(recorded.result({0, 1}), testing::ElementsAre(1, 2, 3, 4));
}

TEST_F(RecordedTilesTest, RefuseTheLowestBitByTheFilesName) {
    RecordedTiles recorded(folder.path(), tiles);
    tiles.elements.back() = std::nextafterf(4, 5);
    EXPECT_THAT(message_of<Failure>([&] {
                    recorded.input(Operand::a, {0, 1});
                }),
                testing::AllOf(testing::HasSubstr("A_0_1.npy"), testing::HasSubstr("checksum")));
    EXPECT_NO_THROW(recorded.input(Operand::b, {0, 1})) << "which the manifest does not have";
    EXPECT_NO_THROW(recorded.result({0, 1})) << "which is no input";
}

TEST_F(RecordedTilesTest, TakeAUsersOwnWithoutAManifestAsTheyAre) {
    const TemporaryFolder own;
    RecordedTiles recorded(own.path(), tiles);
    EXPECT_NO_THROW(recorded.input(Operand::a, {0, 1}));
}

}  // namespace
}  // namespace quartet::matmul
