#include "cg/checkpoint/checkpointing.hpp"

#include <gmock/gmock.h>

#include <csignal>

#include "cg/cg_session.hpp"
#include "cg/solve_case.hpp"
#include "comm/mpi/shared_folder.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::HasSubstr;

/// How a run ended, on this rank.
struct Ending {
    std::vector<double> solution;
    std::vector<double> history;
    std::optional<std::string> stopped;
    std::string note;
    double seconds_earlier = 0;
};

class CheckpointingTest : public testing::Test {
  protected:
    static std::vector<Problem> every_way() {
        std::vector<Problem> problems;
        for (const Storage storage : {Storage::full, Storage::symmetric}) {
            for (const Algorithm algorithm : {Algorithm::classic, Algorithm::single_reduction}) {
                problems.push_back({"random", 90, 40, storage, algorithm});
            }
        }
        problems.push_back({"laplace", 2, 12, Storage::full, Algorithm::classic});  // idle ranks
        return problems;
    }

    [[nodiscard]] CheckpointOptions every(std::int64_t iterations,
                                          Restart restart = Restart::none) const {
        CheckpointOptions wanted;
        wanted.folder = folder.path() / "checkpoints";
        wanted.every = iterations;
        wanted.restart = restart;
        return wanted;
    }

    // Solves; a signal comes to the last rank before the iterations begin, if at all.
    Ending solve(const Problem& problem, const CheckpointOptions& checkpoint, int number = 0) {
        SolveCase subject(*session, {Formulation::native, "host", "mpi"}, problem, {}, checkpoint);
        bench::Clocks clocks(0);
        session->stop_request().take_signals();
        subject.prepare();
        if (number != 0 && session->world().rank() == session->world().size() - 1) {
            std::raise(number);
        }
        subject.run(clocks);
        session->stream().synchronize();
        Ending ending;
        const auto x = subject.state().solution.span();
        ending.solution.assign(x.begin(), x.end());
        ending.history = subject.details().series.front().second;
        ending.stopped = subject.stopped();
        ending.note = subject.note();
        ending.seconds_earlier = subject.earlier().real.value;
        if (!ending.stopped) {
            EXPECT_TRUE(subject.verify().passed);
        }
        return ending;
    }

    std::filesystem::path checkpoint(int iteration) const {
        return CheckpointFolder(folder.path() / "checkpoints").checkpoint(iteration);
    }
    // Each test has its folder, each way its own again.
    void clear() const {
        folder.once([&] { std::filesystem::remove_all(folder.path() / "checkpoints"); });
    }

    std::unique_ptr<bench::Session> session = make_session();
    const SharedFolder folder{session->world()};
};

TEST_F(CheckpointingTest, SavingChangesNoBit) {
    for (const Problem& problem : every_way()) {
        const Ending wanted = solve(problem, {});
        const Ending found = solve(problem, every(7));
        EXPECT_EQ(found.solution, wanted.solution);
        EXPECT_EQ(found.history, wanted.history);
        clear();
    }
}

TEST_F(CheckpointingTest, ContinuesAStoppedRunWithTheSameBits) {
    for (const Problem& problem : every_way()) {
        for (const int number : {SIGUSR1, SIGTERM}) {
            const Ending wanted = solve(problem, {});
            const Ending first = solve(problem, every(7), number);
            EXPECT_THAT(first.stopped.value_or(""),
                        AllOf(HasSubstr("after iteration 1 of"), HasSubstr("--restart")));
            const Ending second = solve(problem, every(7, Restart::latest), number);
            EXPECT_THAT(second.stopped.value_or(""), HasSubstr("after iteration 2 of"));
            const Ending last = solve(problem, every(7, Restart::latest));
            EXPECT_FALSE(last.stopped);
            EXPECT_EQ(last.solution, wanted.solution);
            EXPECT_EQ(last.history, wanted.history);
            EXPECT_THAT(last.note, HasSubstr("went on from iteration 2 as it was begun"));
            EXPECT_GT(last.seconds_earlier, second.seconds_earlier);
            EXPECT_GT(second.seconds_earlier, 0);
            clear();
        }
    }
}

TEST_F(CheckpointingTest, RestartsFromThePreviousCheckpoint) {
    const Problem problem = every_way().front();
    const Ending wanted = solve(problem, every(15));  // 15 and 30 of 40
    const Ending found = solve(problem, every(15, Restart::previous));
    EXPECT_THAT(found.note, HasSubstr("iteration 15 "));
    EXPECT_EQ(found.history, wanted.history);
}

TEST_F(CheckpointingTest, RestartsWithAnotherStorageAndNotesIt) {
    Problem problem = every_way().front();
    const Ending wanted = solve(problem, every(20));
    problem.storage = Storage::symmetric;
    const Ending found = solve(problem, every(20, Restart::latest));
    EXPECT_THAT(found.note, HasSubstr("storage symmetric (was full)"));
    EXPECT_THAT(found.history, testing::Pointwise(testing::DoubleNear(1e-9), wanted.history));
}

TEST_F(CheckpointingTest, RestartsWithMoreIterations) {
    Problem problem = every_way().front();
    const Ending wanted = solve(problem, {});
    problem.iterations = 20;
    solve(problem, every(20));
    problem.iterations = 40;
    EXPECT_EQ(solve(problem, every(20, Restart::latest)).history, wanted.history);
}

TEST_F(CheckpointingTest, RefusesAnotherProblemOnAllRanks) {
    Problem problem = every_way().front();
    solve(problem, every(20));
    problem.size = 91;
    EXPECT_THAT(message_of<UsageError>([&] { solve(problem, every(20, Restart::latest)); }),
                HasSubstr("--size 90, not 91"));
}

TEST_F(CheckpointingTest, NoticesAnyChangedByteOfAnyFile) {
    const Problem problem = every_way().front();
    const Ending wanted = solve(problem, every(20));  // and 40
    for (const std::string name : {"state-0.npy", "history.npy"}) {
        const std::string sound = read_text(checkpoint(40) / name);
        session->world().barrier();
        for (const std::size_t place :
             {std::size_t{0}, std::size_t{40}, std::size_t{100}, sound.size() - 1}) {
            std::string altered = sound;
            altered[place] = static_cast<char>(altered[place] ^ 4);
            folder.once([&] { write_text(checkpoint(40) / name, altered); });
            EXPECT_THAT(message_of<UsageError>([&] { solve(problem, every(20, Restart::latest)); }),
                        AllOf(HasSubstr(name), HasSubstr("--restart previous")))
                << place;
            folder.once([&] { write_text(checkpoint(40) / name, sound); });
        }
    }
    EXPECT_EQ(solve(problem, every(20, Restart::latest)).history, wanted.history);
}

TEST_F(CheckpointingTest, NamesAMissingFile) {
    const Problem problem = every_way().front();
    solve(problem, every(20));
    for (const std::string name : {"state-0.npy", "history.npy", "manifest.json"}) {
        const std::string sound = read_text(checkpoint(40) / name);
        folder.once([&] { std::filesystem::remove(checkpoint(40) / name); });
        EXPECT_THAT(message_of<UsageError>([&] { solve(problem, every(20, Restart::latest)); }),
                    AllOf(HasSubstr(name), HasSubstr("--restart previous")));
        folder.once([&] { write_text(checkpoint(40) / name, sound); });
    }
    solve(problem, every(20, Restart::previous));
}

TEST_F(CheckpointingTest, RefusesAFileInPlaceOfTheFolder) {
    folder.once([&] { write_text(folder.path() / "checkpoints", ""); });
    EXPECT_THAT(message_of<UsageError>([&] { solve(every_way().front(), every(20)); }),
                HasSubstr("--checkpoint"));
}

}  // namespace
}  // namespace quartet::cg
