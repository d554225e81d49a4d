#include "cg/checkpoint/checkpoint_manifest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <span>

#include "core/check.hpp"
#include "core/files/checksum.hpp"

namespace quartet::cg {

namespace {

using Json = nlohmann::ordered_json;

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
    return std::strtod(json.get<std::string>().c_str(), nullptr);  // hexadecimal, too
}

Json to_json(const SavedFile& file) {
    return {{"name", file.name},
            {"first_row", file.first_row},
            {"rows", file.rows},
            {"checksum", hexadecimal(file.checksum)}};
}

SavedFile saved_file(const Json& json) {
    return {json.at("name"), json.at("first_row"), json.at("rows"),
            whole_number(json.at("checksum"), 16)};
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
    bench::Spent spent{{json.at("real_seconds")}, {json.at("cpu_seconds")}, {}};
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        spent.phases[phase] =
            json.at("phases").value(std::string(name(static_cast<Phase>(phase))), 0.0);
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

CheckpointManifest manifest_in(const Json& content) {
    if (content.at("schema_version") != CheckpointManifest::schema_version ||
        content.at("kernel") != "cg") {
        throw Failure("is of another version of the format, or of another program");
    }
    CheckpointManifest manifest;
    manifest.system = content.at("system");
    manifest.size = content.at("size");
    manifest.seed = whole_number(content.at("seed"), 10);
    manifest.right_side = whole_number(content.at("right_side"), 16);
    manifest.algorithm = content.at("algorithm") == name(Algorithm::classic)
                             ? Algorithm::classic
                             : Algorithm::single_reduction;
    content.at("set_up").get_to(manifest.set_up);
    manifest.iterations = content.at("iterations");
    manifest.done = content.at("done");
    manifest.residual_dot = real_number(content.at("residual_dot"));
    manifest.alpha = real_number(content.at("step"));
    manifest.segments = content.at("segments");
    manifest.spent = spent_time(content.at("spent"));
    manifest.history = saved_file(content.at("history"));
    for (const Json& file : content.at("vectors")) {
        manifest.vectors.push_back(saved_file(file));
    }
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
        const Json document = Json::parse(text);
        const Json& content = document.at("content");
        if (document.at("checksum") != hexadecimal(checksum_of(content))) {
            throw Failure("is not as it was written (its checksum differs)");
        }
        return manifest_in(content);
    } catch (const Json::exception&) {
        throw Failure("is not a manifest (cut off, or not JSON, or of other keys)");
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
