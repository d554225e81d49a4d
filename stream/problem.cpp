#include "stream/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/data_source.hpp"

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

constexpr int largest_value = 8;
constexpr std::int64_t exact_in_float = std::int64_t{1} << 24;

// use(i, value of element begin + i) for i in [0, elements).
template <typename Use>
void for_each_value(std::int64_t begin, std::int64_t elements, std::uint64_t seed, int sender,
                    Use use) {
    const DataSource source(seed, fmt::format("stream/source-{}", sender));
    std::array<std::uint32_t, 4096> bits;
    for (std::int64_t first = 0; first < elements; first += std::ssize(bits)) {
        const auto count = std::min<std::int64_t>(std::ssize(bits), elements - first);
        source.fill_bits(std::span(bits).first(static_cast<std::size_t>(count)), begin + first);
        for (std::int64_t index = 0; index < count; ++index) {
            use(static_cast<std::size_t>(first + index),
                static_cast<float>(1 + bits[static_cast<std::size_t>(index)] % largest_value));
        }
    }
}

// All others to rank 0, or each ordered pair.
std::vector<Route> routes_of(Pattern pattern, int ranks) {
    std::vector<Route> routes;
    if (pattern == Pattern::all_to_one) {
        routes.emplace_back();
        for (int rank = 1; rank < ranks; ++rank) {
            routes.front().senders.push_back(rank);
        }
        return routes;
    }
    if (ranks > most_ranks_in_pairs) {
        throw UsageError(
            fmt::format("--pairs: {} ranks ({} at most, since pairs are measured one at a time): "
                        "use quartet nodes",
                        ranks, most_ranks_in_pairs));
    }
    for (int sender = 0; sender < ranks; ++sender) {
        for (int receiver = 0; receiver < ranks; ++receiver) {
            if (sender != receiver) {
                routes.push_back({{sender}, receiver});
            }
        }
    }
    return routes;
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
         .help =
             "push between each ordered pair of up to 16 ranks; 16 MiB unless --sizes is given"},
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

bool Problem::sends(int rank) const {
    return std::ranges::find(route.senders, rank) != route.senders.end();
}

bench::Work Problem::work() const {
    bench::Work work;
    work.unit = bench::RateUnit::mebibytes;
    work.flops = {static_cast<double>(elements()) * pushes * senders()};
    work.bytes = senders() * (pushes * size);
    work.workers = senders();
    work.counters = {{"pushes", pushes}, {"senders", senders()}};
    return work;
}

std::vector<Problem> problems(const Options& given, int ranks) {
    const Options options = with_defaults(given);
    const Pattern pattern =
        options.pairs == bench::Switch::on ? Pattern::pairs : Pattern::all_to_one;
    std::vector<Problem> problems;
    for (const Bytes size : options.sizes) {
        for (const Route& route : routes_of(pattern, ranks)) {
            const std::int64_t senders = std::ssize(route.senders);
            if (senders * options.pushes * largest_value > exact_in_float) {
                throw UsageError(fmt::format(
                    "--pushes: {} pushes of {} senders cannot be checked (float32 sums are exact "
                    "to 2^24): use at most {}",
                    options.pushes, senders, exact_in_float / largest_value / senders));
            }
            problems.push_back({size, options.pushes, pattern, route});
        }
    }
    return problems;
}

void fill_source(std::span<float> source, std::uint64_t seed, int sender, std::int64_t first) {
    for_each_value(first, std::ssize(source), seed, sender,
                   [&](std::size_t index, float value) { source[index] = value; });
}

void fill_expected(std::span<float> expected, std::uint64_t seed, const Route& route, int pushes) {
    std::ranges::fill(expected, 0.0F);
    for (const int sender : route.senders) {
        for_each_value(0, std::ssize(expected), seed, sender, [&](std::size_t index, float value) {
            expected[index] += static_cast<float>(pushes) * value;
        });
    }
}

}  // namespace quartet::stream
