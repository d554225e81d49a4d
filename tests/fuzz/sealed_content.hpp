#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/files/checksum.hpp"

namespace quartet::fuzz {

/// An input with the checksum around it that no fuzzer would find; as it stands where it is no
/// JSON, or has bytes that JSON cannot have.
inline std::string sealed_content(std::string_view content) {
    try {
        const auto json = nlohmann::ordered_json::parse(content);
        const std::string text = json.dump();
        const auto sum = fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
        return nlohmann::ordered_json{{"content", json}, {"checksum", sum}}.dump();
    } catch (const nlohmann::ordered_json::exception&) {
        return std::string(content);
    }
}

}  // namespace quartet::fuzz
