#include "fft/library/library_wisdom.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "core/files/checksum.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "fft/fake_session.hpp"
#include "fft/library/library_case.hpp"

namespace quartet::fft {
namespace {

using testing::HasSubstr;
using testing::Not;

class LibraryWisdomTest : public testing::Test {
  protected:
    // Skips the test, on all ranks alike, where FFTW-MPI was not found.
    void SetUp() override {
        file = world.broadcast((folder.path() / "plans").native(), 0);
        try {
            static_cast<void>(make_library_case(*session, {64 * 48, 48, ResultOrder::natural}, {}));
        } catch (const Unavailable& reason) {
            GTEST_SKIP() << reason.what();
        }
    }
    // Rank 0's folder outlives what the others do with it.
    void TearDown() override { world.barrier(); }

    // What the file has after its first line; written by rank 0.
    void leave(const std::string& wisdom) const {
        world.barrier();  // until all have read what was there
        if (world.rank() == 0) {
            std::ofstream(file) << fmt::format("plans of FFTW, checksum {:016x}\n{}",
                                               checksum(std::as_bytes(std::span(wisdom))), wisdom);
        }
        world.barrier();
    }
    [[nodiscard]] std::string kept() const {
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str().substr(text.str().find('\n') + 1);
    }
    [[nodiscard]] std::string refusal() const {
        return message_of<UsageError>([&] { read_wisdom(world, file); });
    }

    const comm::Communicator world = comm::Communicator::world();
    const TemporaryFolder folder;
    std::filesystem::path file;
    std::unique_ptr<bench::Session> session = make_session(short_runs());
};

TEST_F(LibraryWisdomTest, ReadsWhatWasWrittenOnAllRanks) {
    write_wisdom(world, file);
    const std::string text = kept();
    EXPECT_THAT(text, HasSubstr("fftw_wisdom"));
    leave(text);  // the first line is the one of the format
    EXPECT_NO_THROW(read_wisdom(world, file));
}

TEST_F(LibraryWisdomTest, RefusesWhatAnotherFftwWrote) {
    for (const char* wisdom : {"(fftw-2.1 fftw_wisdom #x0 #x0 #x0 #x0\n)\n", "(", ""}) {
        leave(wisdom);
        EXPECT_THAT(refusal(), HasSubstr("of another FFTW")) << wisdom;
    }
}

// As for a row that is measured anew.
TEST_F(LibraryWisdomTest, IsAnEarlierJobsOnlyWhereThisJobHasNotMeasuredThePlan) {
    Options options;
    options.planning = Planning::measure;
    options.wisdom = file;
    for (int time = 0; time < 2; ++time) {
        const auto subject = make_library_case(*session, {64 * 36, 36, {}}, options);
        EXPECT_THAT(subject->note(), Not(HasSubstr("earlier job"))) << time;
    }
}

TEST_F(LibraryWisdomTest, TakesAMissingFileAsEmptyButNotAMissingFolder) {
    EXPECT_NO_THROW(read_wisdom(world, file));
    file = file.parent_path() / "none" / "plans";
    EXPECT_THAT(refusal(), HasSubstr("No such file"));
    EXPECT_THAT(message_of<Failure>([&] { write_wisdom(world, file); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace quartet::fft
