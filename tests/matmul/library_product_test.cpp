#include <gmock/gmock.h>

#include "bench/measured.hpp"
#include "core/message_of.hpp"
#include "matmul/plan.hpp"

namespace quartet::matmul {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class LibraryProductTest : public testing::Test {
  protected:
    LibraryProductTest() {
        common.device = "host";
        common.threads = 1;
        common.runs = {2, 0.05, 1};
        common.formulations = {Formulation::library};
        common.transports = {"mpi"};
    }
    void plan(std::int64_t size, std::int64_t tile) {
        session = std::make_unique<bench::Session>(bench::ProgramDescription{.name = "matmul"},
                                                   common, comm::TransportRegistry::standard());
        Options options;
        options.sizes = {size};
        options.tile = tile;
        plan_cases(*session, options);
    }
    // Skips the test, on all ranks alike, where ScaLAPACK was not found.
    void SetUp() override {
        plan(8, 8);
        try {
            static_cast<void>(session->plan().front().make());
        } catch (const Unavailable& reason) {
            GTEST_SKIP() << reason.what();
        }
    }

    bench::CommonOptions common;
    std::unique_ptr<bench::Session> session;
};

TEST_F(LibraryProductTest, IsMeasuredVerifiedAndSaysHowItsMatricesLie) {
    // Many blocks on each rank, ragged blocks and tiles, more ranks than rows of tiles, one
    // element.
    for (const auto& [size, tile] : {std::pair{600, 100}, {333, 100}, {96, 96}, {1, 1}}) {
        plan(size, tile);
        const auto rows = bench::measure(*session, session->plan().front(), [](int, int) {});
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_TRUE(rows[0].check->passed) << size;
        EXPECT_THAT(rows[0].note,
                    AllOf(ContainsRegex(R"(psgemm \(.*lib.*\); block-cyclic, blocks of)"),
                          HasSubstr("grid"), HasSubstr("BLAS")));
    }
}

TEST_F(LibraryProductTest, FailsForAResultThatIsNotTheProduct) {
    plan(200, 64);
    const auto made = session->plan().front().make();
    bench::Clocks none(0);
    made->prepare();
    EXPECT_FALSE(made->verify().passed) << "before it has run";
    made->run(none);
    EXPECT_TRUE(made->verify().passed);
}

TEST_F(LibraryProductTest, RefusesWhatItCannotDo) {
    plan(std::int64_t{1} << 20, 1024);
    EXPECT_THAT(message_of<Unavailable>([&] { session->plan().front().make(); }),
                HasSubstr("32 bits"));
    common.transports = {"shm"};
    plan(8, 4);
    EXPECT_THAT(message_of<Unavailable>([&] { session->plan().front().make(); }),
                HasSubstr("--transport mpi"));
}

}  // namespace
}  // namespace quartet::matmul
