#include "core/files/tiles.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "core/check.hpp"
#include "core/files/file.hpp"

namespace quartet {

namespace {

using Json = nlohmann::ordered_json;
using FoundJson = nlohmann::json;  // finds keys by trees: files may be many

constexpr int schema_version = 1;

std::filesystem::path manifest_file(const std::filesystem::path& folder) {
    return folder / "manifest.json";
}

// The manifest without its checksums.
Json description(const Manifest& manifest) {
    return {{"schema_version", schema_version},
            {"kernel", manifest.kernel},
            {"seed", manifest.seed},
            {"shape", manifest.shape},
            {"tile", manifest.tile},
            {"dtype", manifest.dtype},
            {"generator_version", manifest.generator_version},
            {"order", manifest.order}};
}

// A whole number that T holds; the library's own conversion would cut and wrap silently.
template <typename T>
T whole(const FoundJson& json, const char* key) {
    const auto number = json.at(key).get_ref<const FoundJson::number_unsigned_t&>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
        throw Failure(fmt::format("{} is too large", key));
    }
    return static_cast<T>(number);
}

Manifest from_json(const FoundJson& json) {
    if (whole<int>(json, "schema_version") > schema_version) {
        throw Failure("it is of a newer version of this suite");
    }
    Manifest manifest{.kernel = json.at("kernel").get<std::string>(),
                      .seed = whole<std::uint64_t>(json, "seed"),
                      .shape = {},
                      .tile = whole<std::int64_t>(json, "tile"),
                      .dtype = json.at("dtype").get<std::string>(),
                      .generator_version = whole<int>(json, "generator_version"),
                      .order = json.at("order").get<std::string>(),
                      .checksums = json.at("checksums").get<std::map<std::string, std::string>>()};
    for (const FoundJson& extent : json.at("shape")) {
        manifest.shape.push_back(whole<std::int64_t>({{"shape", extent}}, "shape"));
    }
    return manifest;
}

}  // namespace

std::string tile_file(std::string_view array, std::int64_t row, std::int64_t column) {
    return fmt::format("{}_{}_{}.npy", array, row, column);
}

std::string block_file(std::string_view array, std::int64_t index) {
    return fmt::format("{}-{}.npy", array, index);
}

void remove_later_blocks(const std::filesystem::path& folder, std::string_view array, int rank,
                         int ranks) {
    const Folder open(folder);
    for (std::int64_t block = rank + ranks; is_there(folder / block_file(array, block));
         block += ranks) {
        open.remove(block_file(array, block));
    }
}

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest) {
    Json json = description(manifest);
    Json& checksums = json["checksums"] = Json::object();
    // Appended without a search for the key: that would take time with the square of the files'
    // number.
    auto& entries = checksums.get_ref<Json::object_t&>();
    for (const auto& [file, sum] : manifest.checksums) {
        entries.emplace_back(file, sum);
    }
    write_aside(manifest_file(folder), json.dump(2) + "\n");
}

Manifest read_manifest(const std::filesystem::path& folder) {
    const std::filesystem::path file = manifest_file(folder);
    const auto refuse = [&file](const std::string& why) {
        return Failure(
            fmt::format("cannot use {} ({}): remove it and make the data again with --generate",
                        quotation(file.native()), why));
    };
    try {
        return from_json(FoundJson::parse(contents(file)));
    } catch (const FileError& error) {
        throw refuse(error.reason());
    } catch (const Failure& error) {
        throw refuse(error.what());
    } catch (const Json::exception& error) {
        throw refuse(quotation(error.what()));
    }
}

void require_same_data(const Manifest& found, const Manifest& wanted,
                       const std::filesystem::path& folder) {
    const Json has = description(found);
    const Json needed = description(wanted);
    for (const auto& [key, asked] : needed.items()) {
        if (has.at(key) != asked) {
            throw UsageError(fmt::format(
                "{} holds data with {} = {}, but {} was requested: ask for these data, or name "
                "another folder",
                quotation(folder.native()), key, has.at(key).dump(), asked.dump()));
        }
    }
}

}  // namespace quartet
