#include "matmul/library/library_product.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "bench/measured.hpp"
#include "core/message_of.hpp"
#include "matmul/library/block_cyclic.hpp"
#include "matmul/multiply_case.hpp"
#include "matmul/plan.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class LibraryProductTest : public testing::Test {
  protected:
    // Skips the test, on all ranks alike, where ScaLAPACK was not found.
    void SetUp() override {
        make_session();
        try {
            static_cast<void>(make_library_product(*session, {8, 8}));
        } catch (const Unavailable& reason) {
            GTEST_SKIP() << reason.what();
        }
    }
    void make_session() {
        const bench::ProgramDescription description{.name = "matmul"};
        session = std::make_unique<bench::Session>(description, common,
                                                   comm::TransportRegistry::standard());
    }
    std::unique_ptr<bench::Case> make_case(std::int64_t size, std::int64_t tile) {
        make_session();
        options.sizes = {size};
        options.tile = tile;
        plan_cases(*session, options);
        return session->plan().front().make();
    }
    static bench::CommonOptions short_runs() {
        bench::CommonOptions runs;
        runs.device = "host";
        runs.threads = 1;
        runs.runs = {2, 0.05, 1};
        runs.formulations = {Formulation::library};
        runs.transports = {"mpi"};
        return runs;
    }

    const comm::Communicator world = comm::Communicator::world();
    bench::CommonOptions common = short_runs();
    Options options;
    std::unique_ptr<bench::Session> session;
};

TEST_F(LibraryProductTest, IsTheProductOfTheSameMatrices) {
    // Many blocks on each rank, ragged blocks and tiles, more ranks than rows of tiles, one
    // element.
    for (const auto& [size, tile] : {std::pair{600, 100}, {333, 100}, {96, 96}, {1, 1}}) {
        const Problem problem{size, tile, 5};
        const auto product = make_library_product(*session, problem);
        product->prepare();
        product->run(session->stream());
        product->collect();
        const auto reference = quartet::matmul::product(problem, whole_matrix(problem, "A"),
                                                        whole_matrix(problem, "B"));
        const Block strip = strip_of(problem, world.size(), world.rank());
        for (std::int64_t row = strip.rows.begin; row < strip.rows.end; ++row) {
            for (std::int64_t column = 0; column < problem.tiles(); ++column) {
                EXPECT_LT(largest_difference(problem, reference, {row, column},
                                             product->result({row, column})),
                          1e-5)
                    << size << ", tile " << row << ", " << column;
            }
        }
    }
}

TEST_F(LibraryProductTest, IsMeasuredVerifiedAndSaysWhatItChose) {
    make_case(200, 64);
    const auto rows = bench::measure(*session, session->plan().front(), [](int, int) {});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].error, "");
    EXPECT_TRUE(rows[0].check->passed);
    EXPECT_THAT(rows[0].note, AllOf(ContainsRegex(R"(psgemm \(.*lib.*\); block-cyclic, blocks of)"),
                                    HasSubstr("grid"), HasSubstr("BLAS")));
    const auto& numbers = rows[0].details.numbers;
    const auto number = [&](std::string_view key) {
        const auto found = std::ranges::find(numbers, key, [](const auto& n) { return n.first; });
        return found == numbers.end() ? 0 : found->second;
    };
    EXPECT_GE(number("block_size"), 1);
    EXPECT_EQ(number("grid_rows") * number("grid_columns"), world.size());
}

TEST_F(LibraryProductTest, TakesTheDistributionThatTheUserWantsAndTriesNoOther) {
    options.distribution = {world.size(), 1, 64};
    make_case(64 * world.size(), 64);
    const auto rows = bench::measure(*session, session->plan().front(), [](int, int) {});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_TRUE(rows[0].check->passed);
    EXPECT_THAT(
        rows[0].note,
        HasSubstr(fmt::format("blocks of 64, {} x 1 process grid (nothing tried)", world.size())));
    options.distribution = {world.size() + 1, 1, 64};
    EXPECT_THAT(message_of<UsageError>([&] { make_case(64 * world.size(), 64); }),
                HasSubstr("none of those that are tried"));
}

TEST_F(LibraryProductTest, FailsForAResultThatIsNotTheProduct) {
    const auto made = make_case(200, 64);
    bench::Clocks none(0);
    made->prepare();
    EXPECT_FALSE(made->verify().passed) << "before it has run, there is what trials have left";
    made->run(none);
    EXPECT_TRUE(made->verify().passed);
}

TEST_F(LibraryProductTest, RefusesWhatItCannotDo) {
    EXPECT_THAT(
        message_of<Unavailable>([&] {
            static_cast<void>(make_library_product(*session, {std::int64_t{1} << 20, 1024}));
        }),
        HasSubstr("32 bits"));
    common.transports = {"shm"};
    EXPECT_THAT(message_of<Unavailable>([&] { make_case(8, 4); }), HasSubstr("--transport mpi"));
}

}  // namespace
}  // namespace quartet::matmul
