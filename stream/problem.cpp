#include "stream/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "core/data_source.hpp"

namespace quartet::stream {

namespace {

constexpr int largest_value = 8;
constexpr std::int64_t exact_in_float = std::int64_t{1} << 24;
constexpr int ranks_one_pair_at_a_time = 16;
constexpr int sampled_pairs = most_ranks_with_all_pairs * (most_ranks_with_all_pairs - 1) / 2;

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

std::vector<int> in_order(int ranks) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::vector<int> shuffled(int ranks, std::uint64_t seed) {
    const DataSource source(seed, "stream/pairs");
    std::vector<int> order = in_order(ranks);
    std::ranges::sort(order, {}, [&](int rank) { return std::pair(source.bits(rank), rank); });
    return order;
}

std::vector<std::vector<Route>> single_pairs(int ranks) {
    std::vector<std::vector<Route>> rounds;
    for (int sender = 0; sender < ranks; ++sender) {
        for (int receiver = 0; receiver < ranks; ++receiver) {
            if (sender != receiver) {
                rounds.push_back({Route{{sender}, receiver}});
            }
        }
    }
    return rounds;
}

// The circle method: seat 0 stays, the others move on by one each round; an odd count gets an empty
// seat. Each pair once in one direction, `most` pairs at most.
std::vector<std::vector<Route>> disjoint_pairs(const std::vector<int>& ranks, int most) {
    const int count = static_cast<int>(ranks.size());
    const int seats = count + count % 2;
    std::vector<std::vector<Route>> rounds;
    for (int round = 0; round < seats - 1 && most > 0; ++round) {
        const auto seat = [&](int place) {
            return place == 0 ? 0 : 1 + (place - 1 + round) % (seats - 1);
        };
        std::vector<Route> routes;
        for (int place = 0; place < seats / 2 && most > 0; ++place) {
            const int a = seat(place);
            const int b = seat(seats - 1 - place);
            if (a < count && b < count) {
                routes.push_back(
                    {{ranks[static_cast<std::size_t>(a)]}, ranks[static_cast<std::size_t>(b)]});
                --most;
            }
        }
        rounds.push_back(std::move(routes));
    }
    return rounds;
}

}  // namespace

const Route* Problem::route_of(int rank) const {
    for (const Route& route : routes) {
        if (route.receiver == rank ||
            std::ranges::find(route.senders, rank) != route.senders.end()) {
            return &route;
        }
    }
    return nullptr;
}

bool Problem::receives(int rank) const {
    const Route* route = route_of(rank);
    return route != nullptr && route->receiver == rank;
}

bool Problem::sends(int rank) const {
    return route_of(rank) != nullptr && !receives(rank);
}

bench::Work Problem::work(const Route& route) const {
    const auto senders = static_cast<int>(route.senders.size());
    bench::Work work;
    work.unit = bench::RateUnit::mebibytes;
    work.flops = {static_cast<double>(elements()) * pushes * senders};
    work.bytes = senders * (pushes * size);
    work.workers = senders;
    work.counters = {{"pushes", pushes}, {"senders", senders}};
    return work;
}

bench::Work Problem::work() const {
    bench::Work total = work(routes.front());
    for (std::size_t index = 1; index < routes.size(); ++index) {
        const bench::Work more = work(routes[index]);
        total.flops.value += more.flops.value;
        total.bytes = total.bytes + more.bytes;
        total.workers += more.workers;
    }
    return total;
}

std::vector<std::vector<Route>> pair_rounds(int ranks, std::uint64_t seed) {
    if (ranks <= ranks_one_pair_at_a_time) {
        return single_pairs(ranks);
    }
    const bool all = ranks <= most_ranks_with_all_pairs;
    auto rounds = all ? disjoint_pairs(in_order(ranks), std::numeric_limits<int>::max())
                      : disjoint_pairs(shuffled(ranks, seed), sampled_pairs);
    // The same pairs the other way round.
    for (std::size_t round = 0, forward = rounds.size(); round < forward; ++round) {
        std::vector<Route> back;
        for (const Route& route : rounds[round]) {
            back.push_back({{route.receiver}, route.senders.front()});
        }
        rounds.push_back(std::move(back));
    }
    return rounds;
}

std::vector<Problem> problems(const Options& given, int ranks, std::uint64_t seed) {
    const Options options = with_defaults(given);
    const Pattern pattern =
        options.pairs == bench::Switch::on ? Pattern::pairs : Pattern::all_to_one;
    std::vector<std::vector<Route>> rounds;
    if (pattern == Pattern::pairs) {
        rounds = pair_rounds(ranks, seed);
    } else {
        Route all{{}, 0};
        for (int rank = 1; rank < ranks; ++rank) {
            all.senders.push_back(rank);
        }
        rounds = {{all}};
    }
    std::vector<Problem> problems;
    for (const Bytes size : options.sizes) {
        for (const std::vector<Route>& routes : rounds) {
            const auto senders = static_cast<std::int64_t>(routes.front().senders.size());
            if (senders * options.pushes * largest_value > exact_in_float) {
                throw UsageError(fmt::format(
                    "--pushes: {} pushes of {} senders cannot be checked (float32 sums are exact "
                    "to 2^24): use at most {}",
                    options.pushes, senders, exact_in_float / largest_value / senders));
            }
            problems.push_back({size, options.pushes, pattern, routes});
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
