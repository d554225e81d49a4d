#include "core/files/json_text.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "core/message_of.hpp"

namespace quartet {
namespace {

using testing::HasSubstr;

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t level = 0; level < levels; ++level) {
        text += open;
    }
    text += '1';
    for (std::size_t level = 0; level < levels; ++level) {
        text += close;
    }
    return text;
}

std::string keys(int count) {
    std::string text = "{";
    for (int key = 0; key < count; ++key) {
        text += (key > 0 ? ",\"" : "\"") + std::to_string(key) + "\":0";
    }
    return text + "}";
}

std::string refusal(const std::string& text, const JsonBounds& bounds = {}) {
    return message_of<JsonError>([&] { parse_ordered_json(text, bounds); });
}

TEST(ParseJson, ReadsWhatIsWithinTheBounds) {
    EXPECT_EQ(parse_json(R"({"b": [1, {"a": 2}], "a": null})").at("b").at(1).at("a"), 2);
    EXPECT_EQ(parse_ordered_json(R"({"b": 1, "a": 2})").dump(), R"({"b":1,"a":2})");
    EXPECT_NO_THROW(parse_json(nested(64, "[", "]")));
    EXPECT_EQ(parse_json(keys(2000)).size(), 2000U);
}

TEST(ParseJson, RefusesWhatIsNoJson) {
    for (const char* text : {"", "{", "[1,]", "{\"a\"}", "nan", "\xff", "1 2", "\"\xc3\""}) {
        EXPECT_EQ(refusal(text), "is not JSON") << text;
        EXPECT_THROW(parse_json(text), JsonError) << text;
    }
}

TEST(ParseJson, RefusesDeepNesting) {
    for (const std::size_t levels : {std::size_t{66}, std::size_t{300000}}) {
        EXPECT_THAT(refusal(nested(levels, "[", "]")), HasSubstr("deeper than 64 levels"));
        EXPECT_THAT(refusal(nested(levels, "{\"a\":", "}")), HasSubstr("deeper than 64 levels"));
        EXPECT_THAT(refusal(std::string(levels, '[')), HasSubstr("deeper than 64 levels"));
    }
}

TEST(ParseJson, RefusesWhatIsTooLong) {
    EXPECT_THAT(refusal("[1, 2]", {.size = {5}}),
                HasSubstr("too long for JSON (6 B, at most 5 B)"));
    EXPECT_NO_THROW(parse_json("[1, 2]", {.size = {6}}));
}

TEST(ParseJson, RefusesAKeyTwiceInAnObject) {
    EXPECT_EQ(refusal(R"({"a": 1, "b": 2, "a": 3})"), "has the key 'a' twice");
    EXPECT_EQ(refusal(R"({"a": 1, "\u0061": 1})"), "has the key 'a' twice");
    EXPECT_EQ(refusal(R"([{"b": {"c": [], "c": {}}}])"), "has the key 'c' twice");
    EXPECT_THROW(parse_json(R"({"a": {"a": 1}, "a": 1})"), JsonError);
    EXPECT_NO_THROW(parse_json(R"({"a": {"a": [{"a": 1}, {"a": 2}]}})"));
}

TEST(ParseJson, TakesTimeInProportionToTheText) {
    constexpr int count = 300000;  // of which the square would take a minute
    std::string text = "[";
    for (int index = 0; index < count; ++index) {
        text += index > 0 ? ",{\"a\":[]}" : "{\"a\":[]}";
    }
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(parse_ordered_json(text + "]").size(), std::size_t{count});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(ParseJson, RefusesManyKeysWhereTheirOrderIsKept) {
    EXPECT_THAT(refusal(keys(1025)), HasSubstr("more than 1024 keys"));
    EXPECT_NO_THROW(parse_ordered_json(keys(1024)));
    EXPECT_NO_THROW(parse_ordered_json("[" + keys(1000) + "," + keys(1000) + "]"));
}

}  // namespace
}  // namespace quartet
