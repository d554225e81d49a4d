#include "cg/checkpoint/checkpoint_manifest.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/checkpoint/sealed_json.hpp"
#include "core/check.hpp"

namespace quartet::cg {

namespace {

using bench::count_of;
using bench::hexadecimal;
using bench::most_counted;
using bench::whole_number;
using Json = nlohmann::ordered_json;

constexpr std::size_t longest_name = 255;

std::string exact(double value) {
    return fmt::format("{:a}", value);
}

double real_number(const Json& json) {
    const auto text = json.get<std::string>();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);  // hexadecimal, too
    if (text.empty() || end != text.c_str() + text.size() || std::isnan(value)) {
        throw Failure("holds something that is no number");
    }
    return value;
}

// A name in the folder itself: a path could lead anywhere.
std::string plain_name(const Json& json) {
    const auto name = json.get<std::string>();
    const bool plain = !name.empty() && name.size() <= longest_name && name != "." &&
                       name != ".." && name.find('/') == std::string::npos &&
                       name.find('\0') == std::string::npos;
    if (!plain) {
        throw Failure(fmt::format("names a file {} that is not in its folder", quotation(name)));
    }
    return name;
}

Json to_json(const SavedFile& file) {
    return {{"name", file.name},
            {"first_row", file.first_row},
            {"rows", file.rows},
            {"checksum", hexadecimal(file.checksum)}};
}

SavedFile saved_file(const Json& json, std::int64_t most_rows) {
    return {plain_name(json.at("name")), count_of(json, "first_row", 0, most_rows),
            count_of(json, "rows", 0, most_rows), whole_number(json.at("checksum"), 16)};
}

Json content_of(const CheckpointManifest& manifest) {
    Json vectors = Json::array();
    for (const SavedFile& file : manifest.vectors) {
        vectors.push_back(to_json(file));
    }
    return {{"schema_version", CheckpointManifest::schema_version},
            {"kernel", "cg"},
            {"system", manifest.system},
            {"size", manifest.size},
            {"seed", std::to_string(manifest.seed)},
            {"algorithm", name(manifest.algorithm)},
            {"set_up", manifest.set_up},
            {"iterations", manifest.iterations},
            {"done", manifest.done},
            {"residual_dot", exact(manifest.residual_dot)},
            {"step", exact(manifest.alpha)},
            {"segments", manifest.segments},
            {"spent", bench::to_json(manifest.spent)},
            {"history", to_json(manifest.history)},
            {"vectors", vectors}};
}

Algorithm algorithm_in(const Json& json) {
    for (const Algorithm algorithm : {Algorithm::classic, Algorithm::single_reduction}) {
        if (json == name(algorithm)) {
            return algorithm;
        }
    }
    throw Failure("holds an algorithm that does not exist");
}

// The ranks' files have all rows, one after another; those of a rank that only reduces have none.
void require_all_rows(const CheckpointManifest& manifest) {
    std::int64_t next = 0;
    for (const SavedFile& file : manifest.vectors) {
        if (file.rows > 0 && file.first_row != next) {
            throw Failure("lacks rows, or has some twice");
        }
        next += file.rows;
    }
    if (next != manifest.size || manifest.history.rows != manifest.done) {
        throw Failure("has not as many rows as it should");
    }
}

CheckpointManifest manifest_in(const Json& content) {
    if (content.at("schema_version") != CheckpointManifest::schema_version ||
        content.at("kernel") != "cg") {
        throw Failure("is of another version of the format, or of another program");
    }
    CheckpointManifest manifest;
    manifest.system = content.at("system");
    manifest.size = count_of(content, "size", 1, most_counted);
    manifest.seed = whole_number(content.at("seed"), 10);
    manifest.algorithm = algorithm_in(content.at("algorithm"));
    content.at("set_up").get_to(manifest.set_up);
    manifest.iterations = count_of(content, "iterations", 1, most_counted);
    manifest.done = count_of(content, "done", 0, manifest.iterations);
    manifest.residual_dot = real_number(content.at("residual_dot"));
    manifest.alpha = real_number(content.at("step"));
    manifest.segments = static_cast<int>(count_of(content, "segments", 0, most_counted));
    manifest.spent = bench::earlier_time_of(content.at("spent"));
    manifest.history = saved_file(content.at("history"), manifest.iterations);
    for (const Json& file : content.at("vectors")) {
        manifest.vectors.push_back(saved_file(file, manifest.size));
    }
    require_all_rows(manifest);
    return manifest;
}

}  // namespace

std::string to_text(const CheckpointManifest& manifest) {
    return bench::sealed(content_of(manifest));
}

CheckpointManifest read_checkpoint_manifest(const std::string& text) {
    CheckpointManifest manifest;
    bench::read_sealed(text, [&](const Json& content) { manifest = manifest_in(content); });
    return manifest;
}

void require_same_problem(const CheckpointManifest& found, const CheckpointManifest& wanted,
                          const std::string& folder) {
    const auto require = [&](const std::string& flag, const auto& is, const auto& should_be) {
        if (is != should_be) {
            throw UsageError(fmt::format(
                "--restart: {} is of another problem ({} {}, not {}): ask for that one, or name "
                "another folder",
                quotation(folder), flag, is, should_be));
        }
    };
    require("--problem", found.system, wanted.system);
    require("--size", found.size, wanted.size);
    require("--seed", found.seed, wanted.seed);
    require("--algorithm", name(found.algorithm), name(wanted.algorithm));
    if (found.done > wanted.iterations) {
        throw UsageError(
            fmt::format("--restart: {} is past --iterations {} (it has done {}): ask for more",
                        quotation(folder), wanted.iterations, found.done));
    }
}

}  // namespace quartet::cg
