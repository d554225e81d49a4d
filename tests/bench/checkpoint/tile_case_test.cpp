#include "bench/checkpoint/tile_case.hpp"

#include <gmock/gmock.h>

#include "bench/fake_session.hpp"
#include "comm/mpi/shared_folder.hpp"

namespace quartet::bench {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// A case of one tile, which the last rank makes unless it was taken over.
class OneTile final : public TileCase {
  public:
    OneTile(Session& session, std::unique_ptr<TileCheckpoint> checkpoint) : session_(session) {
        keep_tiles(std::move(checkpoint));
    }

    bool makes = true;
    bool made = false;

    void prepare() override {}
    Check verify() override { return {}; }
    void prepare_limit() override {}
    std::vector<LimitComponent> limit() override { return {}; }
    [[nodiscard]] std::string note() const override { return resumed("one tile"); }
    [[nodiscard]] Details details() const override { return resumed(Details{}); }

  private:
    void compute(Clocks&) override {
        const bool last = session_.world().rank() == session_.world().size() - 1;
        made = makes && last && !(checkpoint() != nullptr && checkpoint()->has(0));
        if (made && checkpoint() != nullptr) {
            checkpoint()->keep(0, std::vector<std::byte>(10));
        }
    }

    Session& session_;
};

class TileCaseTest : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<OneTile> open(Restart restart) {
        CheckpointOptions options;
        options.folder = folder.path() / "kept";
        options.restart = restart;
        return std::make_unique<OneTile>(
            session, std::make_unique<TileCheckpoint>(session, options, TileList{}));
    }
    void run(OneTile& one) const {
        Clocks clocks(0);
        one.run(clocks);
    }

    Session session = fake_session({});
    const SharedFolder folder{session.world()};
};

TEST_F(TileCaseTest, WithoutACheckpointHasNothingToSayOfOne) {
    OneTile one(session, nullptr);
    run(one);
    EXPECT_FALSE(one.stopped());
    EXPECT_EQ(one.earlier().real, Seconds{});
    EXPECT_EQ(one.note(), "one tile");
    EXPECT_THAT(one.details().numbers, SizeIs(0));
}

TEST_F(TileCaseTest, SaysWhereItStoppedAndWhatItHasTakenOver) {
    const auto begun = open(Restart::none);
    begun->makes = false;
    run(*begun);
    EXPECT_THAT(begun->stopped().value_or(""), HasSubstr("after 0 of 1 tiles"));
    begun->makes = true;
    run(*begun);
    const auto resumed = open(Restart::latest);
    run(*resumed);
    EXPECT_FALSE(resumed->made);
    EXPECT_FALSE(resumed->stopped());
    EXPECT_GT(resumed->earlier().real.value, 0);
    EXPECT_THAT(resumed->note(), HasSubstr("one tile; resumed with 1 of 1 tiles"));
    EXPECT_THAT(resumed->details().numbers, SizeIs(2));
}

}  // namespace
}  // namespace quartet::bench
