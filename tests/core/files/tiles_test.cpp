#include "core/files/tiles.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Manifest example() {
    return {.kernel = "matmul",
            .seed = std::numeric_limits<std::uint64_t>::max(),
            .shape = {8192, 8192},
            .tile = 1024,
            .dtype = "<f4",
            .generator_version = 1,
            .order = "row-major",
            .checksums = {{"A_0_0.npy", "0"}, {"A_0_1.npy", "fedcba9876543210"}}};
}

TEST(TileFile, HasThePublishedName) {
    EXPECT_EQ(tile_file("A", 0, 3), "A_0_3.npy");
    EXPECT_EQ(tile_file("C", 12, 7), "C_12_7.npy");
    EXPECT_EQ(block_file("x", 5), "x-5.npy");
}

TEST(Manifest, IsReadAsWritten) {
    const TemporaryFolder folder;
    write_manifest(folder.path(), example());
    EXPECT_EQ(read_manifest(folder.path()), example());
    EXPECT_EQ(folder.entries(), 1);
}

TEST(Manifest, HasRoomForManyFiles) {
    // Were every key looked for among those before it, this would take hours.
    const TemporaryFolder folder;
    Manifest many = example();
    for (std::uint64_t file = 0; file < 500000; ++file) {
        many.checksums["A-" + std::to_string(file) + ".npy"] = std::to_string(file);
    }
    write_manifest(folder.path(), many);
    EXPECT_EQ(read_manifest(folder.path()), many);
}

TEST(Manifest, IsJsonThatOthersCanRead) {
    const TemporaryFolder folder;
    write_manifest(folder.path(), example());
    const json document = json::parse(read_text(folder / "manifest.json"));
    EXPECT_EQ(document.at("schema_version"), 1);
    EXPECT_EQ(document.at("dtype"), "<f4");
    EXPECT_EQ(document.at("shape"), json({8192, 8192}));
    EXPECT_EQ(document.at("checksums").at("A_0_1.npy"), "fedcba9876543210");
}

TEST(Manifest, IsRefusedWhereMissing) {
    const TemporaryFolder folder;
    EXPECT_THAT(message_of<Failure>([&] { read_manifest(folder.path()); }),
                HasSubstr("manifest.json' (No such file or directory): "));
    EXPECT_THROW(write_manifest(folder / "none", example()), Failure);
}

TEST(Manifest, IsRefusedWhereItIsNotJson) {
    const TemporaryFolder folder;
    for (const char* text : {"", "{", R"({"kernel": "cg")", "[1, 2", "\x93NUMPY", "{} {}"}) {
        write_text(folder / "manifest.json", text);
        EXPECT_THAT(message_of<Failure>([&] { read_manifest(folder.path()); }),
                    HasSubstr("parse error"))
            << text;
    }
}

// What read_manifest says of the example after `change`.
std::string message_after(const std::function<void(json&)>& change) {
    const TemporaryFolder folder;
    write_manifest(folder.path(), example());
    json document = json::parse(read_text(folder / "manifest.json"));
    change(document);
    write_text(folder / "manifest.json", document.dump());
    return message_of<Failure>([&] { read_manifest(folder.path()); });
}

TEST(Manifest, IsRefusedWhereAnyKeyIsMissing) {
    const TemporaryFolder folder;
    write_manifest(folder.path(), example());
    const json document = json::parse(read_text(folder / "manifest.json"));
    EXPECT_EQ(document.size(), 9U);
    for (const auto& [key, value] : document.items()) {
        EXPECT_THAT(message_after([name = key](json& changed) { changed.erase(name); }),
                    HasSubstr(key));
    }
}

TEST(Manifest, IsRefusedWhereOfANewerSchema) {
    EXPECT_THAT(message_after([](json& changed) { changed["schema_version"] = 2; }),
                HasSubstr("newer version of this suite"));
}

TEST(Manifest, IsRefusedWhereAValueIsOfAnotherType) {
    const std::vector<std::pair<std::string, json>> cases = {
        {"kernel", 7},
        {"kernel", nullptr},
        {"seed", -1},
        {"seed", 1.5},
        {"seed", "1"},
        {"shape", {1, -2}},
        {"shape", {"a"}},
        {"shape", {1.5}},
        {"tile", -1},
        {"tile", 1e30},
        {"tile", true},
        {"dtype", 4},
        {"generator_version", 4294967297},
        {"order", {"a"}},
        {"checksums", {{"a", 5}}},
        {"schema_version", "1"},
    };
    for (const auto& [key, value] : cases) {
        const std::string message =
            message_after([&name = key, &wrong = value](json& changed) { changed[name] = wrong; });
        EXPECT_THAT(message, HasSubstr("cannot use ")) << key << " = " << value;
        EXPECT_THAT(message, testing::Not(HasSubstr("\n")));
    }
    EXPECT_THAT(message_after([](json& changed) { changed = json::array(); }),
                HasSubstr("cannot use "));
}

std::string refusal(const Manifest& wanted) {
    return message_of<UsageError>([&] { require_same_data(example(), wanted, "data"); });
}

TEST(Manifest, NamesTheFirstFieldThatDiffers) {
    Manifest wanted = example();
    wanted.order = "blocked";
    EXPECT_THAT(refusal(wanted), HasSubstr("'data' holds data with order = \"row-major\", but "
                                           "\"blocked\" was requested"));
    wanted.generator_version = 2;
    EXPECT_THAT(refusal(wanted), HasSubstr("generator_version = 1, but 2 was"));
    wanted.dtype = "<f8";
    EXPECT_THAT(refusal(wanted), HasSubstr("dtype = \"<f4\", but \"<f8\" was"));
    wanted.tile = 512;
    EXPECT_THAT(refusal(wanted), HasSubstr("tile = 1024, but 512 was"));
    wanted.shape = {16};
    EXPECT_THAT(refusal(wanted), HasSubstr("shape = [8192,8192], but [16] was"));
    wanted.seed = 3;
    EXPECT_THAT(refusal(wanted), HasSubstr("seed = 18446744073709551615, but 3 was"));
    wanted.kernel = "fft";
    EXPECT_THAT(refusal(wanted), HasSubstr("kernel = \"matmul\", but \"fft\" was"));
}

}  // namespace
}  // namespace quartet
