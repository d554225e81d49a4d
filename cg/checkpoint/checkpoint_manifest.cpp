#include "cg/checkpoint/checkpoint_manifest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>

#include "core/check.hpp"
#include "core/files/checksum.hpp"
#include "core/files/json_text.hpp"

namespace quartet::cg {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t most_counted = std::int64_t{1} << 30;  // rows, iterations, processes
constexpr std::size_t longest_name = 255;

std::string hexadecimal(std::uint64_t value) {
    return fmt::format("{:016x}", value);  // many readers of JSON keep 53 bits of a number
}

std::string hexadecimal(double value) {
    return fmt::format("{:a}", value);
}

std::uint64_t checksum_of(const Json& content) {
    const std::string text = content.dump();
    return checksum(std::as_bytes(std::span(text)));
}

std::uint64_t whole_number(const Json& json, int base) {
    const auto text = json.get<std::string>();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw Failure("holds something that is no number");
    }
    return value;
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

// A whole number of [least, most]; the library's own conversion would cut and wrap silently.
std::int64_t count_of(const Json& json, const char* key, std::int64_t least, std::int64_t most) {
    const Json& value = json.at(key);
    if (!value.is_number_integer() || value < least || value > most) {
        throw Failure(
            fmt::format("holds a {} that is no whole number from {} to {}", key, least, most));
    }
    return value.get<std::int64_t>();
}

double seconds_of(const Json& value) {
    if (!value.is_number() || !(value.get<double>() >= 0)) {
        throw Failure("holds a time that is no number of seconds");
    }
    return value.get<double>();
}

// Of the folder itself: a path could lead anywhere.
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

Json to_json(const bench::Spent& spent) {
    Json phases = Json::object();
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        if (spent.phases[phase] > 0) {
            phases[std::string(name(static_cast<Phase>(phase)))] = spent.phases[phase];
        }
    }
    return {
        {"real_seconds", spent.real.value}, {"cpu_seconds", spent.cpu.value}, {"phases", phases}};
}

bench::Spent spent_time(const Json& json) {
    bench::Spent spent{
        {seconds_of(json.at("real_seconds"))}, {seconds_of(json.at("cpu_seconds"))}, {}};
    const Json& phases = json.at("phases");
    if (!phases.is_object()) {
        throw Failure("holds phases that are none");
    }
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        const auto found = phases.find(std::string(name(static_cast<Phase>(phase))));
        spent.phases[phase] = found == phases.end() ? 0 : seconds_of(*found);
    }
    return spent;
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
            {"right_side", hexadecimal(manifest.right_side)},
            {"algorithm", name(manifest.algorithm)},
            {"set_up", manifest.set_up},
            {"iterations", manifest.iterations},
            {"done", manifest.done},
            {"residual_dot", hexadecimal(manifest.residual_dot)},
            {"step", hexadecimal(manifest.alpha)},
            {"segments", manifest.segments},
            {"spent", to_json(manifest.spent)},
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
    manifest.right_side = whole_number(content.at("right_side"), 16);
    manifest.algorithm = algorithm_in(content.at("algorithm"));
    content.at("set_up").get_to(manifest.set_up);
    manifest.iterations = count_of(content, "iterations", 1, most_counted);
    manifest.done = count_of(content, "done", 0, manifest.iterations);
    manifest.residual_dot = real_number(content.at("residual_dot"));
    manifest.alpha = real_number(content.at("step"));
    manifest.segments = static_cast<int>(count_of(content, "segments", 0, most_counted));
    manifest.spent = spent_time(content.at("spent"));
    manifest.history = saved_file(content.at("history"), manifest.iterations);
    for (const Json& file : content.at("vectors")) {
        manifest.vectors.push_back(saved_file(file, manifest.size));
    }
    require_all_rows(manifest);
    return manifest;
}

}  // namespace

std::string to_text(const CheckpointManifest& manifest) {
    const Json content = content_of(manifest);
    const Json document{{"content", content}, {"checksum", hexadecimal(checksum_of(content))}};
    return document.dump(2) + "\n";
}

CheckpointManifest read_checkpoint_manifest(const std::string& text) {
    try {
        const Json document = parse_ordered_json(text);
        const Json& content = document.at("content");
        if (document.at("checksum") != hexadecimal(checksum_of(content))) {
            throw Failure("is not as it was written (its checksum differs)");
        }
        return manifest_in(content);
    } catch (const JsonError& error) {
        throw Failure(fmt::format("is not a manifest (it {})", error.what()));
    } catch (const Json::exception&) {
        throw Failure("is not a manifest (cut off, or of other keys or types)");
    }
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
    require("a matrix whose right side has the checksum", hexadecimal(found.right_side),
            hexadecimal(wanted.right_side));
    require("--algorithm", name(found.algorithm), name(wanted.algorithm));
    if (found.done > wanted.iterations) {
        throw UsageError(
            fmt::format("--restart: {} is past --iterations {} (it has done {}): ask for more",
                        quotation(folder), wanted.iterations, found.done));
    }
}

std::string differences(const CheckpointManifest& found, const CheckpointManifest& now) {
    std::string text;
    for (const auto& [what, value] : now.set_up) {
        const auto before = found.set_up.find(what);
        const std::string was = before == found.set_up.end() ? "unknown" : before->second;
        if (was != value) {
            text += fmt::format("{}{} {} (was {})", text.empty() ? "" : ", ", what, value, was);
        }
    }
    return text;
}

}  // namespace quartet::cg
