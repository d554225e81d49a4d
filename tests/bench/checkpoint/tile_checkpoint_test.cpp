#include "bench/checkpoint/tile_checkpoint.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

#include "bench/fake_session.hpp"
#include "comm/mpi/shared_folder.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t tiles = 12;

class TileCheckpointTest : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<TileCheckpoint> open(Restart restart = Restart::none,
                                                       const std::string& size = "7") {
        CheckpointOptions options;
        options.folder = folder.path() / "kept";
        options.every = 2;
        options.restart = restart;
        TileList now;
        now.job = {{"--size", size}};
        now.tiles = tiles;
        return std::make_unique<TileCheckpoint>(session, options, now);
    }
    [[nodiscard]] static std::vector<std::byte> content(std::int64_t tile) {
        return std::vector<std::byte>(10, static_cast<std::byte>(tile));
    }
    [[nodiscard]] bool is_mine(std::int64_t tile) const {
        return tile % session.world().size() == session.world().rank();
    }
    // The first `count` tiles, each on the rank that has it.
    void keep(TileCheckpoint& checkpoint, std::int64_t count) const {
        checkpoint.begin();
        for (std::int64_t tile = 0; tile < count; ++tile) {
            if (is_mine(tile)) {
                checkpoint.keep(tile, content(tile));
            }
        }
    }

    Session session = fake_session({});
    const SharedFolder folder{session.world()};
};

TEST_F(TileCheckpointTest, RemovesWhatKilledRanksWereWriting) {
    open()->end();
    const auto kept = folder.path() / "kept";
    if (session.is_root()) {
        for (const char* name : {"tile-3.17.0.tmp", "tiles-0.json.17.0.tmp", "notes.tmp"}) {
            std::ofstream(kept / name) << "unfinished";
        }
    }
    session.world().barrier();
    open()->end();
    session.world().barrier();
    EXPECT_FALSE(is_there(kept / "tile-3.17.0.tmp"));
    EXPECT_FALSE(is_there(kept / "tiles-0.json.17.0.tmp"));
    EXPECT_TRUE(is_there(kept / "notes.tmp")) << "somebody else's";
}

TEST_F(TileCheckpointTest, TakesOverWhatWasKept) {
    {
        const auto begun = open();
        EXPECT_FALSE(begun->has(0));
        keep(*begun, 5);
        begun->end();
        EXPECT_THAT(begun->stopped().value_or(""), HasSubstr("after 5 of 12 tiles"));
    }
    const auto resumed = open(Restart::latest);
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
        EXPECT_EQ(resumed->has(tile), tile < 5);
    }
    std::vector<std::byte> read(10);
    resumed->read(4, read);
    EXPECT_EQ(read, content(4));
    EXPECT_GT(resumed->earlier().real.value, 0);
    keep(*resumed, tiles);
    resumed->end();
    EXPECT_FALSE(resumed->stopped());
    EXPECT_EQ(resumed->numbers().at(0).second, 5);
    EXPECT_EQ(resumed->numbers().at(1).second, 2);
    EXPECT_THAT(resumed->note(), AllOf(HasSubstr("5 of 12 tiles"), HasSubstr("as it was begun")));
    EXPECT_TRUE(open(Restart::latest)->has(tiles - 1));
}

// Killed before the first list it could write later.
TEST_F(TileCheckpointTest, FolderSaysWhoseItIsFromTheBeginning) {
    keep(*open(), 1);
    session.world().barrier();
    EXPECT_EQ(open(Restart::latest)->numbers().at(0).second, 0);
    EXPECT_THAT(message_of<UsageError>([&] { static_cast<void>(open(Restart::latest, "8")); }),
                HasSubstr("another job"));
}

// Without its end, as a killed process leaves it: at most `every` tiles of a rank are lost.
TEST_F(TileCheckpointTest, ListsTilesEverySoMany) {
    const auto begun = open();
    keep(*begun, tiles);
    session.world().barrier();
    const auto resumed = open(Restart::latest);
    std::int64_t lost = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
        lost += is_mine(tile) && !resumed->has(tile) ? 1 : 0;
    }
    EXPECT_LT(lost, 2);
}

TEST_F(TileCheckpointTest, RefusesAnotherJobAndWhatWasAltered) {
    {
        const auto begun = open();
        keep(*begun, 6);
        begun->end();
    }
    const auto refusal = [&](const std::string& size = "7") {
        return message_of<UsageError>([&] { static_cast<void>(open(Restart::latest, size)); });
    };
    EXPECT_THAT(refusal("8"), HasSubstr("--size 7, not 8"));
    const auto overwrite = [&](const std::string& file, const std::string& text) {
        folder.once([&] { std::ofstream(folder.path() / "kept" / file) << text; });
    };
    for (const std::string text : {"", "123456789", "1234567890", "12345678901"}) {
        overwrite("tile-3", text);
        EXPECT_THAT(refusal(), AllOf(HasSubstr("tile-3"), HasSubstr("another folder")));
    }
    overwrite("tiles-0.json", "{}");
    EXPECT_THAT(refusal(), HasSubstr("tiles-0.json"));
}

TEST_F(TileCheckpointTest, AllRanksLearnThatOneWasAskedToStop) {
    session.stop_request().take_signals();
    const auto checkpoint = open();
    checkpoint->begin();
    EXPECT_FALSE(checkpoint->wants_stop());
    session.world().barrier();
    if (session.world().rank() == session.world().size() - 1) {
        std::raise(SIGTERM);
    }
    while (!checkpoint->wants_stop()) {
    }
    checkpoint->end();
    EXPECT_THAT(checkpoint->stopped().value_or(""), HasSubstr("after 0 of 12 tiles"));
}

}  // namespace
}  // namespace quartet::bench
