#include "stream/options.hpp"

#include <fmt/format.h>

namespace quartet::stream {

namespace {

constexpr Bytes largest_size = gibibytes(1024);

std::int64_t parse_size(std::string_view text) {
    const Bytes size = parse_bytes(text, mebibytes(1));
    if (size.value < 4 || size.value % 4 != 0 || size > largest_size) {
        throw UsageError(
            fmt::format("{} is not the size of a float vector: give 4 bytes to {}, in whole floats",
                        quotation(text), to_string(largest_size)));
    }
    return size.value;
}

}  // namespace

std::vector<Bytes> parse_sizes(std::string_view text) {
    std::vector<Bytes> sizes;
    for (const std::int64_t size : bench::parse_sizes(text, parse_size)) {
        sizes.push_back({size});
    }
    return sizes;
}

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add({.name = "--sizes",
                      .value = "LIST",
                      .help = "size of a vector; a number alone counts MiB, 512k is 512 KiB",
                      .standard = "2:128",
                      .alias = "--size"},
                     [&options](const std::string& text) { options.sizes = parse_sizes(text); });
    command_line.add(
        {.name = "--pushes", .value = "N", .help = "pushes in one run [100; 10 with --pairs]"},
        [&options](const std::string& text) {
            options.pushes = static_cast<int>(bench::parse_count(text, 1, 1 << 20));
        });
    command_line.add(
        {.name = "--pairs",
         .help = "push between each ordered pair of ranks, above 32 ranks 992 pairs drawn by "
                 "--seed; 16 MiB unless --sizes is given"},
        options.pairs);
    command_line.add({2, "--transport mpi,shm", "the published sizes over two transports"});
    command_line.add({2, "--sizes 64k:16M --runs auto --json stream.json",
                      "from the caches to memory, as many runs as the interval needs"});
    command_line.add({4, "--pairs --filter pair:0-", "every link from rank 0"});
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
