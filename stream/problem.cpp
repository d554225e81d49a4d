#include "stream/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "bench/flags/command_line.hpp"
#include "core/check.hpp"
#include "core/data_source.hpp"

namespace quartet::stream {

namespace {

constexpr Bytes largest_size = gibibytes(1024);
constexpr int largest_value = 8;
constexpr std::int64_t exact_in_float = std::int64_t{1} << 24;
constexpr int most_ranks_in_pairs = 16;  // pairs are measured one at a time

std::int64_t parse_size(std::string_view text) {
    const Bytes size = parse_bytes(text, mebibytes(1));
    if (size.value < 4 || size.value % 4 != 0 || size > largest_size) {
        throw UsageError(
            fmt::format("{} is not the size of a float vector: give 4 bytes to {}, in whole floats",
                        quotation(text), to_string(largest_size)));
    }
    return size.value;
}

// Calls use(i, value of element begin + i) for i in [0, elements).
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

// The problems of one size, which the caller fills in.
std::vector<Problem> routes(const Options& options, int ranks) {
    Problem problem{.size = {},
                    .pushes = *options.pushes,
                    .senders = {},
                    .receiver = 0,
                    .is_pair = options.pairs};
    if (options.pairs == bench::Switch::off) {
        problem.senders.resize(static_cast<std::size_t>(ranks - 1));
        std::iota(problem.senders.begin(), problem.senders.end(), 1);
        return {problem};
    }
    if (ranks > most_ranks_in_pairs) {
        throw UsageError(
            fmt::format("--pairs: {} ranks ({} at most, since pairs are measured one at a time): "
                        "use quartet nodes",
                        ranks, most_ranks_in_pairs));
    }
    std::vector<Problem> pairs;
    for (int pair = 0; pair < ranks * ranks; ++pair) {
        problem.senders = {pair / ranks};
        problem.receiver = pair % ranks;
        if (problem.senders.front() != problem.receiver) {
            pairs.push_back(problem);
        }
    }
    return pairs;
}

}  // namespace

std::vector<Bytes> parse_sizes(std::string_view text) {
    std::vector<Bytes> sizes;
    for (const std::int64_t size : bench::parse_sizes(text, parse_size)) {
        sizes.push_back({size});
    }
    return sizes;
}

bench::Work Problem::work() const {
    const auto count = static_cast<int>(senders.size());
    bench::Work work;
    work.unit = bench::RateUnit::mebibytes;
    work.messages = size < kibibytes(64) ? pushes : 0;
    work.flops = {static_cast<double>(elements()) * static_cast<double>(additions())};
    work.bytes = additions() * size;
    work.workers = count;
    work.counters = {{"pushes", pushes}, {"senders", count}};
    return work;
}

std::vector<Problem> problems(const Options& options, int ranks) {
    std::vector<Problem> problems;
    for (const Bytes size : options.sizes) {
        for (Problem problem : routes(options, ranks)) {
            if (problem.additions() * largest_value > exact_in_float) {
                throw UsageError(fmt::format(
                    "--pushes: {} pushes of {} senders cannot be checked (float32 sums are exact "
                    "to 2^24): use at most {}",
                    problem.pushes, problem.senders.size(),
                    exact_in_float / largest_value / std::ssize(problem.senders)));
            }
            problem.size = size;
            problems.push_back(std::move(problem));
        }
    }
    return problems;
}

void fill_source(std::span<float> source, std::uint64_t seed, int sender, std::int64_t first) {
    for_each_value(first, std::ssize(source), seed, sender,
                   [&](std::size_t index, float value) { source[index] = value; });
}

void fill_expected(std::span<float> expected, std::uint64_t seed, const Problem& problem) {
    std::ranges::fill(expected, 0.0F);
    for (const int sender : problem.senders) {
        for_each_value(0, std::ssize(expected), seed, sender, [&](std::size_t index, float value) {
            expected[index] += static_cast<float>(problem.pushes) * value;
        });
    }
}

}  // namespace quartet::stream
