#include "bench/program/progress.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <chrono>
#include <regex>
#include <thread>

#include "bench/fake_session.hpp"
#include "bench/session/variants.hpp"

namespace quartet::bench {
namespace {

class ProgressLineTest : public testing::Test {
  protected:
    void SetUp() override { setenv("SLURM_JOB_ID", "1", 1); }
    void TearDown() override { unsetenv("SLURM_JOB_ID"); }

    // What is said of a case whose first runs take `time` each.
    std::string said(Seconds patience, Seconds time) {
        Session session = fake_session(options);
        PlannedCase planned;
        planned.name = row_name(session, {Formulation::native, "host", "mpi"}, "1MiB");
        session.add(std::move(planned));
        testing::internal::CaptureStderr();
        {
            ProgressLine line(session, patience);
            for (int run = 0; run < 2; ++run) {
                line.begin_run(0, run, 10);
                std::this_thread::sleep_for(std::chrono::duration<double>(time.value));
            }
        }
        return testing::internal::GetCapturedStderr();
    }

    static std::ptrdiff_t count(const std::string& text, const std::string& pattern) {
        const std::regex wanted(pattern);
        return std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), {});
    }

    CommonOptions options;
    const bool is_root = comm::Communicator::world().rank() == 0;
};

TEST_F(ProgressLineTest, ABatchJobHasALineAgainAndAgainWhileARunTakesLong) {
    const Seconds begin = now();
    const std::string text = said({0.1}, {0.6});
    const double passed = (now() - begin).value;
    if (!is_root) {
        EXPECT_EQ(text, "");
        return;
    }
    EXPECT_GE(count(text, R"(\[1/1\] \S+/size:1MiB\S*(, \d+ s (so far|left))?\n)"), 3) << text;
    EXPECT_GE(count(text, R"(\[1/1\] \S+/size:1MiB\S*: run 2 of 10(, \d+ s (so far|left))?\n)"), 3)
        << text;
    EXPECT_LE(static_cast<double>(count(text, "\n")), passed / 0.1 + 1) << text;
}

TEST_F(ProgressLineTest, ALogOfNoBatchJobHasNone) {
    unsetenv("SLURM_JOB_ID");
    EXPECT_EQ(said({0.01}, {0.05}), "");
}

}  // namespace
}  // namespace quartet::bench
