#include "core/files/own_files.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OwnFiles : public testing::Test {
  protected:
    void add(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            std::ofstream(folder / name) << "";
        }
    }

    TemporaryFolder folder;
};

TEST_F(OwnFiles, AreFoundByTheirNamesAlone) {
    add({"x-2.npy", "x-0.npy", "x-10.npy", "x-01.npy", "x-.npy", "x--1.npy", "x-1.npz", "xx-1.npy",
         "x-99999999999999999999.npy", "x-9223372036854775807.npy", "x-3.npy.part"});
    EXPECT_THAT(blocks_in(folder.path(), "x"), ElementsAre(0, 2, 10));
    EXPECT_THAT(blocks_in(folder.path(), "y"), IsEmpty());
    add({"A_1_0.npy", "A_0_1.npy", "A_0_10.npy", "A_0.npy", "A_0_1_2.npy", "A_00_1.npy",
         "A_1-1.npy"});
    EXPECT_THAT(tiles_in(folder.path(), "A"),
                ElementsAre(TilePlace{0, 1}, TilePlace{0, 10}, TilePlace{1, 0}));
    EXPECT_THROW(blocks_in(folder.path() / "none", "x"), Failure);
}

TEST_F(OwnFiles, AreCountedUnlessOneIsMissing) {
    EXPECT_EQ(count_blocks(folder.path(), "x"), 0);
    add({"x-0.npy", "x-1.npy"});
    EXPECT_EQ(count_blocks(folder.path(), "x"), 2);
    add({"x-3.npy"});
    EXPECT_THAT(message_of<UsageError>([&] { count_blocks(folder.path(), "x"); }),
                AllOf(HasSubstr("has no x-2.npy"), HasSubstr("it has x-3.npy")));
}

TEST_F(OwnFiles, OfAGridAreCountedByItsEdge) {
    EXPECT_EQ(count_tiles(folder.path(), "A"), 0);
    add({"A_0_0.npy"});
    EXPECT_EQ(count_tiles(folder.path(), "A"), 1);
    add({"A_0_1.npy", "A_1_0.npy", "A_1_1.npy"});
    EXPECT_EQ(count_tiles(folder.path(), "A"), 2);
    add({"A_1_2.npy"});
    EXPECT_THAT(message_of<UsageError>([&] { count_tiles(folder.path(), "A"); }),
                AllOf(HasSubstr("has no A_0_2.npy"), HasSubstr("it has A_1_2.npy")));
    add({"A_0_2.npy", "A_2_0.npy", "A_2_1.npy"});
    EXPECT_THAT(message_of<UsageError>([&] { count_tiles(folder.path(), "A"); }),
                HasSubstr("has no A_2_2.npy"));
    add({"A_9223372036854775806_0.npy"});
    EXPECT_THAT(message_of<UsageError>([&] { count_tiles(folder.path(), "A"); }),
                HasSubstr("has no A_0_3.npy"));
}

TEST_F(OwnFiles, HaveAShapeOfSoManyDimensions) {
    const auto path = folder / "A-0.npy";
    write_npy<double>(path, {0, 3}, {});
    EXPECT_THAT(own_shape(path, ElementType::f8, 2), ElementsAre(0, 3));
    EXPECT_THAT(message_of<NpyError>([&] { own_shape(path, ElementType::f4, 2); }),
                HasSubstr("dtype <f8 where <f4"));
    EXPECT_THAT(message_of<NpyError>([&] { own_shape(path, ElementType::f8, 1); }),
                HasSubstr("shape (0, 3) where a vector is expected"));
    write_npy<double>(path, {3, 0}, {});
    EXPECT_THAT(message_of<NpyError>([&] { own_shape(path, ElementType::f8, 2); }),
                HasSubstr("where a matrix is expected"));
}

TEST_F(OwnFiles, OfMoreRanksAreRemovedByFewer) {
    add({"X-0.npy", "X-1.npy", "X-2.npy", "X-3.npy", "X-4.npy", "x-5.npy"});
    for (const int rank : {0, 1}) {
        remove_later_blocks(folder.path(), "X", rank, 2);
    }
    EXPECT_THAT(blocks_in(folder.path(), "X"), ElementsAre(0, 1));
    EXPECT_THAT(blocks_in(folder.path(), "x"), ElementsAre(5));
}

}  // namespace
}  // namespace quartet
