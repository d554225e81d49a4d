#include "device/machine_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "core/files/file.hpp"
#include "core/files/json_text.hpp"

namespace quartet::device {

namespace {

constexpr double least_rate = 1e-15;  // as in the schema
constexpr double largest_rate = 1e18;

[[noreturn]] void refuse_machine(const std::filesystem::path& file, const std::string& why) {
    throw UsageError(fmt::format("{} {}", quotation(file.native()), why));
}

/// Reads the rates of one file.
class RatesReader {
  public:
    RatesReader(const nlohmann::json& machine, const std::filesystem::path& file) : file_(file) {
        if (!machine.is_object() || !machine.contains("rates") ||
            !machine.at("rates").is_object()) {
            refuse_machine(file_, "has no object 'rates': see docs/prediction.md");
        }
        rates_ = machine.at("rates");
    }

    [[nodiscard]] double required(const char* name) const {
        if (!rates_.contains(name)) {
            refuse_machine(file_, fmt::format("has no rate '{}': describe it", name));
        }
        return value_of(name);
    }
    [[nodiscard]] double optional(const char* name) const {
        return rates_.contains(name) ? value_of(name) : 0;
    }

  private:
    [[nodiscard]] double value_of(const char* name) const {
        const auto& rate = rates_.at(name);
        if (rate.is_object() && rate.contains("value") && rate.at("value").is_number()) {
            const auto value = rate.at("value").get<double>();
            if (value >= least_rate && value <= largest_rate) {
                return value;
            }
        }
        refuse_machine(file_, fmt::format("has a rate '{}' without a positive value: write "
                                          "{{\"value\": 4e10, ..}}",
                                          name));
    }

    const std::filesystem::path& file_;
    nlohmann::json rates_;
};

// A part of a row's name: no separators.
std::string name_of(const std::filesystem::path& file) {
    std::string name = file.stem().string();
    std::ranges::replace_if(
        name,
        [](char c) {
            const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                  (c >= '0' && c <= '9') || c == '.' || c == '_';
            return !is_plain;
        },
        '-');
    return name;
}

}  // namespace

MachineRates parse_machine_rates(std::string_view text, const std::filesystem::path& file) {
    nlohmann::json machine;
    try {
        machine = parse_json(text, {.size = mebibytes(1)});
    } catch (const JsonError& error) {
        refuse_machine(file, error.what());
    }
    const RatesReader reader(machine, file);
    return {.name = name_of(file),
            .memory = reader.required("memory_bytes_per_second"),
            .products = reader.required("sgemm_flops_per_second"),
            .transforms = reader.required("fft_flops_per_second"),
            .launch = {reader.optional("launch_seconds")}};
}

MachineRates read_machine_rates(const std::filesystem::path& file) {
    try {
        return parse_machine_rates(contents(file, mebibytes(1)), file);
    } catch (const FileError& error) {
        throw UsageError(error.what());
    }
}

}  // namespace quartet::device
