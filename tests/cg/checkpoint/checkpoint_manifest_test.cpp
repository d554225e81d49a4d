#include "cg/checkpoint/checkpoint_manifest.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "core/files/checksum.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using testing::HasSubstr;

CheckpointManifest some() {
    CheckpointManifest manifest;
    manifest.system = "random";
    manifest.size = 100;
    manifest.seed = std::numeric_limits<std::uint64_t>::max();
    manifest.algorithm = Algorithm::single_reduction;
    manifest.set_up = {{"ranks", "2"}, {"storage", "full"}};
    manifest.iterations = 500;
    manifest.done = 120;
    manifest.residual_dot = 0.1;
    manifest.alpha = std::numeric_limits<double>::denorm_min();
    manifest.segments = 3;
    manifest.spent.real = {1.1};
    manifest.spent.cpu = {2.3};
    manifest.spent.phases[static_cast<std::size_t>(Phase::checkpoint)] = 0.7;
    manifest.history = {"history.npy", 0, 120, 1};
    manifest.vectors = {{"state-0.npy", 0, 50, 0xffffffffffffffff}, {"state-1.npy", 50, 50, 2}};
    return manifest;
}

std::string complaint_about(const std::string& text) {
    return message_of<Failure>([&] { read_checkpoint_manifest(text); });
}

std::string refusal(const CheckpointManifest& found, const CheckpointManifest& wanted) {
    return message_of<UsageError>([&] { require_same_problem(found, wanted, "folder"); });
}

TEST(CheckpointManifest, KeepsEveryBit) {
    for (const double value :
         {0.1, -0.0, std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()}) {
        CheckpointManifest manifest = some();
        manifest.residual_dot = value;
        const CheckpointManifest read = read_checkpoint_manifest(to_text(manifest));
        EXPECT_EQ(read.residual_dot, value);
        EXPECT_EQ(std::signbit(read.residual_dot), std::signbit(value));
        EXPECT_EQ(read.alpha, manifest.alpha);
        EXPECT_EQ(read.seed, manifest.seed);
        EXPECT_EQ(read.algorithm, manifest.algorithm);
        EXPECT_EQ(read.vectors.at(0).checksum, manifest.vectors.at(0).checksum);
        EXPECT_EQ(read.vectors.at(1).first_row, 50);
        EXPECT_EQ(read.history.rows, 120);
        EXPECT_EQ(read.set_up, manifest.set_up);
        EXPECT_EQ(read.spent.real, manifest.spent.real);
        EXPECT_EQ(read.spent.phases, manifest.spent.phases);
        EXPECT_EQ(to_text(read), to_text(manifest));
    }
}

TEST(CheckpointManifest, NoticesAnyChangedCharacter) {
    const std::string sound = to_text(some());
    for (std::size_t place = 0; place + 1 < sound.size(); ++place) {
        std::string changed = sound;
        changed[place] = static_cast<char>(changed[place] ^ 1);
        if (sound[place] == ' ' || sound[place] == '\n') {
            continue;  // layout: may still be the same document
        }
        EXPECT_NE(complaint_about(changed), "") << place;
    }
}

TEST(CheckpointManifest, NoticesATruncatedText) {
    const std::string sound = to_text(some());
    for (std::size_t length = 0; length + 2 < sound.size(); length += 7) {
        EXPECT_THAT(complaint_about(sound.substr(0, length)), HasSubstr("is not a manifest"));
    }
}

// A manifest with a checksum of its own, as somebody could make it.
std::string forged(const std::function<void(nlohmann::ordered_json&)>& change) {
    auto content = nlohmann::ordered_json::parse(to_text(some())).at("content");
    change(content);
    const std::string text = content.dump();
    const std::string sum = fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
    return nlohmann::ordered_json{{"content", content}, {"checksum", sum}}.dump();
}

TEST(CheckpointManifest, RefusesForgedValues) {
    EXPECT_EQ(read_checkpoint_manifest(forged([](auto&) {})).done, 120);
    using Json = nlohmann::ordered_json;
    const std::vector<std::pair<std::string, Json>> cases{
        {"/residual_dot", "hello"},
        {"/residual_dot", ""},
        {"/residual_dot", "1 "},
        {"/residual_dot", 1.5},
        {"/residual_dot", "nan"},
        {"/step", "0x"},
        {"/done", 60.5},
        {"/done", -1},
        {"/done", 501},
        {"/done", 119},
        {"/done", "120"},
        {"/iterations", 1e300},
        {"/size", 0},
        {"/size", 99},
        {"/size", true},
        {"/segments", -1},
        {"/segments", nullptr},
        {"/algorithm", "best"},
        {"/seed", "-1"},
        {"/seed", 1},
        {"/set_up", {1}},
        {"/spent/real_seconds", -1},
        {"/spent/cpu_seconds", "1"},
        {"/spent/phases", 7},
        {"/history/rows", 119},
        {"/history/name", "../x"},
        {"/history/name", ""},
        {"/vectors", 3},
        {"/vectors", Json::array()},
        {"/vectors/0/rows", -5},
        {"/vectors/0/rows", 51},
        {"/vectors/1/first_row", std::numeric_limits<std::int64_t>::max()},
        {"/vectors/1/first_row", 49},
        {"/vectors/0/name", "/etc/passwd"},
        {"/vectors/0/name", ".."},
        {"/vectors/0/name", std::string("a\0b", 3)},
        {"/vectors/0/checksum", "xyz"}};
    for (const auto& [place, value] : cases) {
        const std::string text =
            forged([&](Json& content) { content.at(Json::json_pointer(place)) = value; });
        EXPECT_NE(complaint_about(text), "") << place << " = " << value;
    }
}

TEST(CheckpointManifest, OfDeepNestingIsNoManifest) {
    const std::string deep = std::string(300000, '[') + std::string(300000, ']');
    EXPECT_THAT(complaint_about(R"({"content": )" + deep + R"(, "checksum": "0"})"),
                HasSubstr("deeper than 64 levels"));
}

TEST(CheckpointManifest, RefusesAnotherProblemByName) {
    EXPECT_NO_THROW(require_same_problem(some(), some(), "folder"));
    CheckpointManifest other = some();
    other.system = "laplace";
    EXPECT_THAT(refusal(other, some()), HasSubstr("--problem laplace, not random"));
    other = some();
    other.size = 99;
    EXPECT_THAT(refusal(other, some()), HasSubstr("--size 99, not 100"));
    other = some();
    other.seed = 7;
    EXPECT_THAT(refusal(other, some()), HasSubstr("--seed 7"));
    other = some();
    other.algorithm = Algorithm::classic;
    EXPECT_THAT(refusal(other, some()), HasSubstr("--algorithm classic"));
    other = some();
    other.iterations = 119;
    EXPECT_THAT(refusal(some(), other), HasSubstr("past --iterations 119"));
    other.iterations = 120;
    EXPECT_NO_THROW(require_same_problem(some(), other, "folder"));
}

}  // namespace
}  // namespace quartet::cg
