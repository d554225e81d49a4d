#include "core/files/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace quartet {

namespace {

// Depth and keys are looked at while parsing, before what is out of bounds takes memory or stack.
template <typename Json>
Json parse_within(std::string_view text, const JsonBounds& bounds, std::size_t most_keys) {
    using Event = typename Json::parse_event_t;
    if (std::ssize(text) > bounds.size.value) {
        throw JsonError(fmt::format("is too long for JSON ({}, at most {})",
                                    to_string(Bytes{std::ssize(text)}), to_string(bounds.size)));
    }
    std::vector<std::size_t> keys;  // of each object that is open, by depth
    const auto look = [&](int depth, Event event, Json& /*value*/) {
        if (depth > bounds.depth) {
            throw JsonError(fmt::format("is nested deeper than {} levels", bounds.depth));
        }
        keys.resize(static_cast<std::size_t>(bounds.depth) + 2);
        if (event == Event::object_start) {
            keys[static_cast<std::size_t>(depth) + 1] = 0;
        }
        if (event == Event::key && ++keys[static_cast<std::size_t>(depth)] > most_keys) {
            throw JsonError(fmt::format("has an object of more than {} keys", most_keys));
        }
        return true;
    };
    try {
        return Json::parse(text, look);
    } catch (const nlohmann::json::exception&) {
        throw JsonError("is not JSON");
    }
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const JsonBounds& bounds) {
    return parse_within<nlohmann::json>(text, bounds, bounds.keys);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonBounds& bounds) {
    return parse_within<nlohmann::ordered_json>(text, bounds, bounds.ordered_keys);
}

}  // namespace quartet
