#include "bench/checkpoint/sealed_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <span>

#include "core/check.hpp"
#include "core/files/checksum.hpp"
#include "core/files/json_text.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

std::string seal_of(const Json& content) {
    const std::string text = content.dump();
    return hexadecimal(checksum(std::as_bytes(std::span(text))));
}

double seconds_of(const Json& value) {
    if (!value.is_number() || !(value.get<double>() >= 0)) {
        throw Failure("holds a time that is no number of seconds");
    }
    return value.get<double>();
}

}  // namespace

std::string sealed(const Json& content) {
    return Json{{"content", content}, {"checksum", seal_of(content)}}.dump(2) + "\n";
}

void read_sealed(const std::string& text, const std::function<void(const Json& content)>& read) {
    try {
        const Json document = parse_ordered_json(text);
        const Json& content = document.at("content");
        if (document.at("checksum") != seal_of(content)) {
            throw Failure("is not as it was written (its checksum differs)");
        }
        read(content);
    } catch (const JsonError& error) {
        throw Failure(fmt::format("is not a manifest (it {})", error.what()));
    } catch (const Json::exception&) {
        throw Failure("is not a manifest (cut off, or of other keys or types)");
    }
}

std::string hexadecimal(std::uint64_t value) {
    return fmt::format("{:016x}", value);
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

std::int64_t count_of(const Json& json, const char* key, std::int64_t least, std::int64_t most) {
    const Json& value = json.at(key);
    if (!value.is_number_integer() || value < least || value > most) {
        throw Failure(
            fmt::format("holds a {} that is no whole number from {} to {}", key, least, most));
    }
    return value.get<std::int64_t>();
}

Json to_json(const EarlierTime& spent) {
    Json phases = Json::object();
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        if (spent.phases[phase] > 0) {
            phases[std::string(name(static_cast<Phase>(phase)))] = spent.phases[phase];
        }
    }
    return {
        {"real_seconds", spent.real.value}, {"cpu_seconds", spent.cpu.value}, {"phases", phases}};
}

EarlierTime earlier_time_of(const Json& json) {
    EarlierTime spent{
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

}  // namespace quartet::bench
