#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace quartet::bench {

/// What is not a finite number is left out: other readers of the format stumble over it.
void put(nlohmann::ordered_json& object, const std::string& key, double value);
void put(nlohmann::ordered_json& object, const std::string& key, std::optional<double> value);

/// In a list its place is kept, by null.
nlohmann::ordered_json numbers(const std::vector<double>& values);

/// Google Benchmark's keys of a row's times, in ms.
void put_times(nlohmann::ordered_json& row, Seconds real, Seconds cpu);

/// The number that a factor's text stands for: "8192", "2^20", "2MiB" in bytes; else the text.
nlohmann::ordered_json value_of(const std::string& text);

/// As dump(2) has it, but a list of plain values takes one line, and so does each object in a list
/// that holds nothing but plain values and such lists. Bytes that are no UTF-8 are replaced.
std::string text_of(const nlohmann::ordered_json& json);

}  // namespace quartet::bench
