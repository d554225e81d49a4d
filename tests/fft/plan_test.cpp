#include "fft/plan.hpp"

#include <gmock/gmock.h>

#include "core/files/file.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "fft/fake_session.hpp"

namespace quartet::fft {
namespace {

using bench::Formulation;

class PlannedCaseTest : public testing::Test {
  protected:
    [[nodiscard]] bench::PlannedCase planned(const std::string& transport, const Problem& problem,
                                             const Options& wanted = {}) {
        session = make_session(options);
        return planned_case(*session, {Formulation::native, "host", transport}, problem, wanted);
    }
    bench::CommonOptions options = short_runs();
    const comm::Communicator world = comm::Communicator::world();
    std::unique_ptr<bench::Session> session;
    const std::string ranks_and_threads = "/ranks:" + std::to_string(world.size()) + "/threads:1";
};

TEST_F(PlannedCaseTest, NamesRowsByWhatChangesTheWork) {
    const Problem problem{1 << 20, 256, ResultOrder::natural};
    EXPECT_EQ(planned("shm", problem).name.text(),
              "fft/native/host/shm/natural/n:1048576/tiles:256" + ranks_and_threads);
    Options in_files;
    in_files.data.folder = "somewhere";
    EXPECT_EQ(planned("mpi", problem, in_files).name.text(),
              "fft/native/host/mpi/natural/n:1048576/tiles:256/data:files/cache:warm" +
                  ranks_and_threads);
    Options measuring;
    measuring.planning = Planning::measure;
    const auto library =
        planned_case(*session, {Formulation::library, "host", "mpi"}, problem, measuring);
    EXPECT_EQ(library.name.text(),
              "fft/library/host/mpi/natural/n:1048576/plan:measure" + ranks_and_threads);
}

TEST_F(PlannedCaseTest, AnnouncesItsArrays) {
    const std::int64_t array = 16 * (1 << 22) / world.size();
    const Problem transposed{1 << 22, 1024, ResultOrder::transposed};
    const Problem natural{1 << 22, 1024, ResultOrder::natural};
    const bool alone = world.size() == 1;
    const std::int64_t slack = array / 4 + (2 << 20);  // ragged shares, tables, scratch
    const std::int64_t sent = array / world.size() * (world.size() - 1);  // by the limit's probe
    // Input, blocks and result; what the limit sends and receives; received blocks where not read
    // in place; for the natural order one array more, and what is received of it.
    const auto expect = [&](const std::string& transport, const Problem& problem, int arrays) {
        const Bytes memory = planned(transport, problem).memory;
        EXPECT_GE(memory.value, arrays * (array - array / 100) + 2 * sent) << transport;
        EXPECT_LE(memory.value, arrays * array + 2 * sent + slack) << transport;
    };
    expect("shm", transposed, 3);
    expect("mpi", transposed, alone ? 3 : 4);
    expect("shm", natural, alone ? 3 : 4);
    expect("mpi", natural, alone ? 3 : 6);
    EXPECT_EQ(planned("mpi", natural).shared_memory, Bytes{0});
    EXPECT_GE(planned("shm", natural).shared_memory.value,
              (alone ? 1 : 2) * (array - array / 100) + sent);
}

// As on nodes each of which has a folder of its own.
TEST(FftPlan, RefusesOnAllRanksAFolderThatOneRankCannotUse) {
    const TemporaryFolder temporary;
    const auto session = make_session(short_runs());
    const std::filesystem::path taken = temporary.path() / "file";
    OutputFile(taken).commit();
    const bool last = session->world().rank() == session->world().size() - 1;
    Options options;
    options.sizes = {64};
    options.data.folder = last ? taken : temporary.path() / "tiles";
    options.data.generate = bench::Switch::on;

    EXPECT_THAT(message_of<UsageError>([&] { plan_cases(*session, options); }),
                testing::HasSubstr("is not a folder"));
}

}  // namespace
}  // namespace quartet::fft
