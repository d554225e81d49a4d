#include "stream/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace quartet::stream {

namespace {

constexpr Bytes largest_size = gibibytes(1024);

Bytes parse_size(std::string_view text) {
    const bool has_unit = std::ranges::any_of(text, [](char c) { return std::isalpha(c); });
    const Bytes size = parse_bytes(has_unit ? std::string(text) : fmt::format("{}MiB", text));
    if (size.value < 4 || size.value % 4 != 0 || size > largest_size) {
        throw UsageError(
            fmt::format("'{}' is no size of a float vector: 4 bytes to {}, in whole "
                        "floats",
                        text, to_string(largest_size)));
    }
    return size;
}

}  // namespace

std::vector<Bytes> parse_sizes(std::string_view text) {
    std::vector<Bytes> sizes;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        for (const std::string& member : bench::parse_list(text)) {
            const Bytes size = parse_size(member);
            if (std::ranges::find(sizes, size) == sizes.end()) {
                sizes.push_back(size);
            }
        }
        return sizes;
    }
    const Bytes last = parse_size(text.substr(colon + 1));
    for (Bytes size = parse_size(text.substr(0, colon)); size <= last; size = 2 * size) {
        sizes.push_back(size);
    }
    if (sizes.empty()) {
        throw UsageError(fmt::format("'{}' is an empty range: smallest:largest", text));
    }
    return sizes;
}

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add("--sizes", "vector sizes in MiB: from:to, doubling, or a list", "2:128",
                     [&options](const std::string& text) { options.sizes = parse_sizes(text); });
    command_line.add("--pushes", "pushes in one run (10 with --pairs)", "100",
                     [&options](const std::string& text) {
                         options.pushes = static_cast<int>(bench::parse_count(text, 1, 1 << 20));
                     });
    command_line.add("--pairs", "each ordered pair of ranks, 16 MiB unless --sizes says else",
                     options.pairs);
}

Options with_defaults(Options options) {
    const bool pairs = options.pairs == bench::Switch::on;
    if (options.sizes.empty()) {
        options.sizes = parse_sizes(pairs ? "16" : "2:128");
    }
    if (options.pushes == 0) {
        options.pushes = pairs ? 10 : 100;
    }
    return options;
}

}  // namespace quartet::stream
