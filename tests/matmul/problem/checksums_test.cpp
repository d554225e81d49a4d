#include "matmul/problem/checksums.hpp"

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

class RecordedSumsTest : public testing::Test {
  protected:
    RecordedSumsTest() {
        Manifest manifest;
        manifest.kernel = "matmul";
        manifest.shape = {4, 4};
        manifest.tile = 2;
        manifest.order = "row-major";
        manifest.checksums["A_0_1.npy"] = checksum(std::as_bytes(std::span(elements)));
        write_manifest(folder.path(), manifest);
    }

    std::vector<float> elements{1, 2, 3, 4};
    const TemporaryFolder folder;
};

TEST_F(RecordedSumsTest, AcceptWhatIsAsRecorded) {
    const RecordedSums recorded(folder.path());
    EXPECT_NO_THROW(recorded.compare(Operand::a, {0, 1}, elements));
}

TEST_F(RecordedSumsTest, RefuseTheLowestBitByTheFilesName) {
    const RecordedSums recorded(folder.path());
    elements.back() = std::nextafterf(4, 5);
    EXPECT_THAT(message_of<Failure>([&] {
                    recorded.compare(Operand::a, {0, 1}, elements);
                }),
                testing::AllOf(testing::HasSubstr("A_0_1.npy"), testing::HasSubstr("checksum")));
    EXPECT_NO_THROW(recorded.compare(Operand::b, {0, 1}, elements))
        << "which the manifest does not have";
}

TEST_F(RecordedSumsTest, TakeAUsersOwnWithoutAManifestAsTheyAre) {
    const TemporaryFolder own;
    EXPECT_NO_THROW(RecordedSums(own.path()).compare(Operand::a, {0, 1}, elements));
    EXPECT_NO_THROW(RecordedSums().compare(Operand::a, {0, 1}, elements));
}

}  // namespace
}  // namespace quartet::matmul
