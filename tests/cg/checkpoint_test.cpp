#include "cg/case.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "cg/cg_session.hpp"
#include "comm/mpi/shared_folder.hpp"
#include "core/files/checksum.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

CheckpointManifest some_manifest() {
    CheckpointManifest manifest;
    manifest.job = {{"--size", "100"}, {"--seed", "18446744073709551615"}, {"ranks", "2"}};
    manifest.residual_dot = 0.1;
    manifest.alpha = std::numeric_limits<double>::min();
    manifest.history = {1.0 / 3, std::numeric_limits<double>::max(), 0.1};
    manifest.spent.assign(2 + phase_count, 0.7);
    manifest.checksums = {"ffffffffffffffff", "0000000000000002"};
    return manifest;
}

std::string complaint_about(const std::string& text) {
    return message_of<Failure>([&] { parse_manifest(text); });
}

// A manifest with a checksum of its own, as somebody could make it.
std::string forged(const std::function<void(Json&)>& change) {
    auto content = Json::parse(to_text(some_manifest())).at("content");
    change(content);
    const std::string text = content.dump();
    const std::string sum = fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
    return Json{{"content", content}, {"checksum", sum}}.dump();
}

TEST(CheckpointManifest, KeepsEveryBitAndNoticesEveryChange) {
    const std::string sound = to_text(some_manifest());
    const CheckpointManifest read = parse_manifest(sound);
    EXPECT_EQ(to_text(read), sound);
    EXPECT_EQ(read.history, some_manifest().history);
    EXPECT_EQ(read.alpha, some_manifest().alpha);
    EXPECT_EQ(read.checksums, some_manifest().checksums);
    for (std::size_t place = 0; place + 1 < sound.size(); ++place) {
        std::string changed = sound;
        changed[place] = static_cast<char>(changed[place] ^ 1);
        try {  // another last digit may be the same number
            EXPECT_EQ(to_text(parse_manifest(changed)), sound) << place;
        } catch (const Failure&) {
        }
    }
    EXPECT_THAT(complaint_about(sound.substr(0, 100)), HasSubstr("is not a manifest"));
}

TEST(CheckpointManifest, RefusesForgedValues) {
    EXPECT_EQ(parse_manifest(forged([](auto&) {})).done(), 3);
    const std::vector<std::pair<std::string, Json>> cases{
        {"/schema_version", 1}, {"/kernel", "fft"}, {"/residual_dot", "hello"},
        {"/alpha", nullptr},    {"/history", 3},    {"/history", Json::array()},
        {"/history/0", "1"},    {"/job", {1}},      {"/job/--size", 100},
        {"/spent", {1, 2}},     {"/spent/0", -1},   {"/checksums", 7},
        {"/checksums/0", 1}};
    for (const auto& [place, value] : cases) {
        const std::string text =
            forged([&](Json& content) { content.at(Json::json_pointer(place)) = value; });
        EXPECT_NE(complaint_about(text), "") << place << " = " << value;
    }
}

/// How a run ended, on this rank.
struct Ending {
    std::vector<double> solution;
    std::vector<double> history;
    std::optional<std::string> stopped;
    std::string note;
    double seconds_earlier = 0;
};

class CheckpointTest : public testing::Test {
  protected:
    [[nodiscard]] CheckpointOptions every(std::int64_t iterations,
                                          bench::Switch restart = bench::Switch::off) const {
        CheckpointOptions wanted;
        wanted.folder = checkpoints;
        wanted.every = iterations;
        wanted.restart = restart;
        return wanted;
    }

    // Solves; a signal comes to the last rank before the iterations begin, if at all.
    Ending solve(const Problem& asked, const CheckpointOptions& checkpoint, int number = 0,
                 Formulation formulation = Formulation::native) {
        device::Arena arena(session->device(), device::Arena::Mode::allocate);
        SolveCase subject(arena, *session, {formulation, "host", "mpi"}, asked, {}, checkpoint);
        subject.set_up();
        session->stop_request().take_signals();
        subject.prepare();
        if (number != 0 && session->world().rank() == session->world().size() - 1) {
            std::raise(number);
        }
        subject.run();
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

    static constexpr bench::Switch on = bench::Switch::on;
    std::unique_ptr<bench::Session> session = make_session();
    const SharedFolder folder{session->world()};
    const std::filesystem::path checkpoints = folder.path() / "checkpoints";
    const Problem problem{"random", 90, 40};
};

TEST_F(CheckpointTest, ContinuesAStoppedRunWithTheSameBits) {
    const bool several = session->world().size() > 1;
    for (const auto& [way, formulation] :
         {std::pair(Problem{"random", 90, 40}, Formulation::native),
          std::pair(Problem{"random", 90, 40, Storage::symmetric}, Formulation::native),
          std::pair(Problem{"laplace", 2, 12}, Formulation::native),  // some ranks have no rows
          std::pair(Problem{"random", 90, 40}, Formulation::dataflow)}) {
        if (formulation == Formulation::dataflow && !several) {
            continue;
        }
        const Ending wanted = solve(way, {}, 0, formulation);
        const Ending first = solve(way, every(7), SIGUSR1, formulation);
        EXPECT_THAT(first.stopped.value_or(""),
                    AllOf(HasSubstr("after iteration 1 of"), HasSubstr("--restart")));
        const Ending second = solve(way, every(7, on), SIGTERM, formulation);
        EXPECT_THAT(second.stopped.value_or(""), HasSubstr("after iteration 2 of"));
        const Ending last = solve(way, every(7, on), 0, formulation);
        EXPECT_FALSE(last.stopped);
        EXPECT_EQ(last.solution, wanted.solution);
        EXPECT_EQ(last.history, wanted.history);
        EXPECT_THAT(last.note, HasSubstr("went on from iteration 2"));
        EXPECT_GT(last.seconds_earlier, second.seconds_earlier);
        EXPECT_GT(second.seconds_earlier, 0);
        session->world().barrier();
        folder.once([&] { std::filesystem::remove_all(checkpoints); });
    }
}

TEST_F(CheckpointTest, RestartsWithAnotherStorageAndMoreIterations) {
    Problem shorter = problem;
    shorter.iterations = 10;
    Problem longer = problem;
    longer.iterations = 20;  // later ones differ by what rounding has grown to
    const Ending wanted = solve(longer, {});
    solve(shorter, every(10));
    longer.storage = Storage::symmetric;
    const Ending found = solve(longer, every(50, on));
    EXPECT_THAT(found.history, testing::Pointwise(testing::DoubleNear(1e-9), wanted.history));
}

TEST_F(CheckpointTest, RefusesAFileInPlaceOfTheFolder) {
    folder.once([&] { write_text(checkpoints, ""); });
    EXPECT_THAT(message_of<UsageError>([&] { solve(problem, every(20)); }),
                HasSubstr("--checkpoint"));
}

}  // namespace
}  // namespace quartet::cg
