#include "bench/checkpoint/tile_list.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/checkpoint/sealed_json.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

TileList some() {
    TileList list;
    list.job = {{"--size", "100"}, {"ranks", "2"}};
    list.tiles = 9;
    list.set_up = {{"threads", "2"}};
    list.segments = 3;
    list.spent.real = {1.1};
    list.spent.cpu = {2.3};
    list.done = {{8, {64}, 0xffffffffffffffff}, {0, {128}, 1}};
    return list;
}

std::string complaint_about(const std::string& text) {
    return message_of<Failure>([&] { read_tile_list(text); });
}

TEST(TileList, KeepsEverything) {
    const TileList read = read_tile_list(to_text(some()));
    EXPECT_EQ(read.job, some().job);
    EXPECT_EQ(read.set_up, some().set_up);
    EXPECT_EQ(read.spent.real, some().spent.real);
    EXPECT_EQ(read.done.at(0).checksum, some().done.at(0).checksum);
    EXPECT_EQ(to_text(read), to_text(some()));
}

TEST(TileList, NoticesAnyChangedCharacterAndATruncatedText) {
    const std::string sound = to_text(some());
    for (std::size_t place = 0; place + 1 < sound.size(); ++place) {
        std::string changed = sound;
        changed[place] = static_cast<char>(changed[place] ^ 1);
        if (sound[place] != ' ' && sound[place] != '\n') {  // layout: may be the same document
            EXPECT_NE(complaint_about(changed), "") << place;
        }
        if (place + 2 < sound.size()) {
            EXPECT_THAT(complaint_about(sound.substr(0, place)), HasSubstr("is not a manifest"));
        }
    }
}

TEST(TileList, RefusesForgedValues) {
    const std::vector<std::pair<std::string, Json>> cases{
        {"/schema_version", 2},
        {"/job", {1}},
        {"/job/ranks", 2},
        {"/tiles", 0},
        {"/tiles", 8},
        {"/tiles", 1e300},
        {"/segments", -1},
        {"/spent/real_seconds", "1"},
        {"/done", 3},
        {"/done/0/number", -1},
        {"/done/0/number", 9},
        {"/done/0/number", 0},
        {"/done/0/bytes", -1},
        {"/done/0/bytes", std::numeric_limits<std::int64_t>::max()},
        {"/done/0/checksum", "xyz"},
        {"/done/0/checksum", 1}};
    const Json sound = Json::parse(to_text(some())).at("content");
    EXPECT_NO_THROW(read_tile_list(sealed(sound)));
    for (const auto& [place, value] : cases) {
        Json content = sound;
        content.at(Json::json_pointer(place)) = value;
        EXPECT_NE(complaint_about(sealed(content)), "") << place << " = " << value;
    }
}

TEST(TileList, RefusesAnotherJobByName) {
    const auto refusal = [](const TileList& found, const TileList& wanted) {
        return message_of<UsageError>([&] { require_same_job(found, wanted, "folder"); });
    };
    EXPECT_NO_THROW(require_same_job(some(), some(), "folder"));
    TileList other = some();
    other.job["--size"] = "99";
    EXPECT_THAT(refusal(other, some()),
                AllOf(HasSubstr("'folder'"), HasSubstr("--size 99, not 100")));
    other.job.erase("--size");
    EXPECT_THAT(refusal(other, some()), HasSubstr("--size unknown, not 100"));
    other = some();
    other.tiles = 10;
    EXPECT_THAT(refusal(other, some()), HasSubstr("tiles 10, not 9"));
}

}  // namespace
}  // namespace quartet::bench
