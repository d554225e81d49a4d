#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/session/case.hpp"

namespace quartet::bench {

/// JSON with its own checksum, as in checkpoints: a changed or shortened text is noticed.
std::string sealed(const nlohmann::ordered_json& content);

/// Hands the content of a sealed text to `read`. Throws Failure that says what is wrong, in words
/// that follow the file's name: "is not as it was written (its checksum differs)".
void read_sealed(const std::string& text,
                 const std::function<void(const nlohmann::ordered_json& content)>& read);

/// Many readers of JSON keep 53 bits of a number.
std::string hexadecimal(std::uint64_t value);
std::uint64_t whole_number(const nlohmann::ordered_json& text, int base);
/// A whole number of [least, most]; the library's own conversion would cut and wrap silently.
std::int64_t count_of(const nlohmann::ordered_json& json, const char* key, std::int64_t least,
                      std::int64_t most);

nlohmann::ordered_json to_json(const EarlierTime& spent);
EarlierTime earlier_time_of(const nlohmann::ordered_json& json);

/// The most of anything that is counted: rows, iterations, tiles, processes.
inline constexpr std::int64_t most_counted = std::int64_t{1} << 30;

}  // namespace quartet::bench
