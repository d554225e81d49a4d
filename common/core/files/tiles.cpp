#include "core/files/tiles.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <system_error>

#include "core/check.hpp"
#include "core/files/file.hpp"

namespace quartet {

namespace {

using Json = nlohmann::ordered_json;
using FoundJson = nlohmann::json;  // of any number of files: looked up by trees

constexpr std::string_view make_again = "remove it and make the data again with --generate";

// Why a manifest cannot be used; read_manifest adds which one.
class BadManifest : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

std::filesystem::path manifest_file(const std::filesystem::path& folder) {
    return folder / "manifest.json";
}

Json to_json(const Manifest& manifest) {
    Json checksums = Json::object();
    // Appended without looking for the key, which would take the square of the files' number.
    auto& entries = checksums.get_ref<Json::object_t&>();
    for (const auto& [file, sum] : manifest.checksums) {
        // Written as text: many readers of JSON keep only 53 bits of a number.
        entries.emplace_back(file, fmt::format("{:016x}", sum));
    }
    return {{"schema_version", Manifest::schema_version},
            {"kernel", manifest.kernel},
            {"seed", manifest.seed},
            {"shape", manifest.shape},
            {"tile", manifest.tile},
            {"dtype", descriptor(manifest.type)},
            {"generator_version", manifest.generator_version},
            {"order", manifest.order},
            {"checksums", checksums}};
}

// A whole number that T holds; the library's own conversion would cut and wrap silently.
template <typename T>
T whole(const FoundJson& value, std::string_view what) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
            return static_cast<T>(number);
        }
    }
    throw BadManifest(fmt::format("{} is not a whole number", what));
}

std::uint64_t parse_checksum(const std::string& text) {
    std::uint64_t sum = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, sum, 16);
    if (error != std::errc{} || stop != end) {
        throw BadManifest(fmt::format("checksum {} is not hexadecimal", quotation(text)));
    }
    return sum;
}

ElementType parse_type(const std::string& text) {
    for (const ElementType type : {ElementType::f4, ElementType::f8, ElementType::c16}) {
        if (text == descriptor(type)) {
            return type;
        }
    }
    throw BadManifest(fmt::format("dtype {} is none of <f4, <f8, <c16", quotation(text)));
}

Manifest from_json(const FoundJson& json) {
    const int schema = whole<int>(json.at("schema_version"), "schema_version");
    if (schema > Manifest::schema_version) {
        throw BadManifest(fmt::format("its schema version is {}, newer than {}", schema,
                                      Manifest::schema_version));
    }
    Manifest manifest;
    manifest.kernel = json.at("kernel").get<std::string>();
    manifest.seed = whole<std::uint64_t>(json.at("seed"), "seed");
    manifest.generator_version = whole<int>(json.at("generator_version"), "generator_version");
    for (const FoundJson& extent : json.at("shape")) {
        manifest.shape.push_back(whole<std::int64_t>(extent, "an extent of shape"));
    }
    manifest.tile = whole<std::int64_t>(json.at("tile"), "tile");
    manifest.type = parse_type(json.at("dtype").get<std::string>());
    manifest.order = json.at("order").get<std::string>();
    for (const auto& [file, sum] : json.at("checksums").items()) {
        manifest.checksums[file] = parse_checksum(sum.get<std::string>());
    }
    return manifest;
}

// The first field in which two manifests differ, as both of them have it.
struct Difference {
    std::string_view field;
    std::string found;
    std::string wanted;
};

Difference first_difference(const Manifest& found, const Manifest& wanted) {
    const auto text = [](const auto& value) { return fmt::format("{}", value); };
    const Difference differences[] = {
        {"kernel", quotation(found.kernel), quotation(wanted.kernel)},
        {"seed", text(found.seed), text(wanted.seed)},
        {"shape", to_string(found.shape), to_string(wanted.shape)},
        {"tile", text(found.tile), text(wanted.tile)},
        {"dtype", text(descriptor(found.type)), text(descriptor(wanted.type))},
        {"generator version", text(found.generator_version), text(wanted.generator_version)},
        {"order", quotation(found.order), quotation(wanted.order)},
    };
    for (const Difference& difference : differences) {
        if (difference.found != difference.wanted) {
            return difference;
        }
    }
    return {};
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
    const std::string text = to_json(manifest).dump(2) + "\n";
    OutputFile output(manifest_file(folder));
    output.write(std::as_bytes(std::span(text)));
    output.commit();
}

Manifest read_manifest(const std::filesystem::path& folder) {
    const std::filesystem::path file = manifest_file(folder);
    const auto refuse = [&file](std::string_view why) {
        throw Failure(
            fmt::format("cannot use {} ({}): {}", quotation(file.native()), why, make_again));
    };
    try {
        const FoundJson json = FoundJson::parse(contents(file), nullptr, false);
        if (json.is_discarded()) {
            refuse("it is not JSON");
        }
        return from_json(json);
    } catch (const FileError& error) {
        refuse(fmt::format("it cannot be read: {}", error.reason()));
    } catch (const BadManifest& error) {
        refuse(error.what());
    } catch (const Json::exception& error) {
        refuse(fmt::format("a key is missing or of another type, {}", quotation(error.what())));
    }
    return {};
}

void require_same_data(const Manifest& found, const Manifest& wanted,
                       const std::filesystem::path& folder) {
    const auto [field, has, asked] = first_difference(found, wanted);
    if (!field.empty()) {
        throw UsageError(
            fmt::format("the data in {} are others (their {} is {}, asked for is {}): ask for "
                        "these, or name another folder",
                        quotation(folder.native()), field, has, asked));
    }
}

}  // namespace quartet
