#include "bench/flags/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/check.hpp"

namespace quartet::bench {

namespace {

constexpr std::array<std::pair<FlagGroup, std::string_view>, 8> section_titles{
    {{FlagGroup::work, "What to run"},
     {FlagGroup::data, "Data"},
     {FlagGroup::checkpoints, "Checkpoints"},
     {FlagGroup::measuring, "Measuring"},
     {FlagGroup::resources, "Processors and memory"},
     {FlagGroup::transfers, "Transfers"},
     {FlagGroup::output, "Output"},
     {FlagGroup::general, "General"}}};

}  // namespace

std::string CommandFlag::value_text() const {
    return value.empty() ? fmt::format("{}", fmt::join(words, "|")) : value;
}

std::vector<FlagSection> sections(const Manual& manual) {
    std::vector<FlagSection> found;
    for (const auto& [group, title] : section_titles) {
        FlagSection section{title, {}};
        std::ranges::copy_if(
            manual.flags, std::back_inserter(section.flags),
            [group = group](const CommandFlag& flag) { return flag.group == group; });
        if (!section.flags.empty()) {
            found.push_back(std::move(section));
        }
    }
    return found;
}

std::vector<std::string> notation() {
    return {
        "A number of elements is written 8192, 2^13, 8k or 1e4: k, M, G and T are binary "
        "(8k is 8192), e is decimal (1e4 is 10000).",
        "SIZE is in bytes: 4096, 64k or 64KiB, 1.5GiB; here, too, k, M, G and T are binary.",
        "LIST is members with commas between, each run in turn; of sizes, 1k:8k doubles from 1k "
        "to 8k."};
}

std::vector<ExitMeaning> exit_meanings() {
    const auto code = [](ExitCode exit_code) { return static_cast<int>(exit_code); };
    return {{code(ExitCode::verified), "all is well, results verified"},
            {code(ExitCode::wrong_result), "a wrong result"},
            {code(ExitCode::bad_usage), "bad usage"},
            {code(ExitCode::failed), "failed while running"},
            {code(ExitCode::stopped), "stopped on request"},
            {code(ExitCode::unavailable), "not available here"}};
}

std::string command(const Manual& manual, const Example& example) {
    return fmt::format("mpirun -n {} {} {}", example.ranks, manual.program, example.arguments);
}

}  // namespace quartet::bench
