#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "bench/checkpoint/sealed_json.hpp"
#include "core/files/json_text.hpp"

namespace quartet::fuzz {

/// An input with the checksum around it that no fuzzer would find; as it stands where it is no
/// JSON, or has bytes that JSON cannot have.
inline std::string sealed_content(std::string_view content) {
    try {
        return bench::sealed(parse_ordered_json(content));
    } catch (const JsonError&) {
        return std::string(content);
    } catch (const nlohmann::ordered_json::exception&) {
        return std::string(content);
    }
}

}  // namespace quartet::fuzz
