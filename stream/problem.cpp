#include "stream/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/data_source.hpp"

namespace quartet::stream {

namespace {

constexpr int largest_value = 8;
constexpr std::int64_t exact_in_float = std::int64_t{1} << 24;
constexpr int ranks_one_pair_at_a_time = 16;

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

std::vector<std::vector<Route>> pair_rounds(int ranks) {
    std::vector<std::vector<Route>> rounds;
    if (ranks <= ranks_one_pair_at_a_time) {
        for (int sender = 0; sender < ranks; ++sender) {
            for (int receiver = 0; receiver < ranks; ++receiver) {
                if (sender != receiver) {
                    rounds.push_back({Route{{sender}, receiver}});
                }
            }
        }
        return rounds;
    }
    // The circle method: seat 0 stays, the others move on by one each round; an odd count gets an
    // empty seat. Then the same pairs the other way round.
    const int seats = ranks + ranks % 2;
    for (int direction = 0; direction < 2; ++direction) {
        for (int round = 0; round < seats - 1; ++round) {
            const auto seat = [&](int place) {
                return place == 0 ? 0 : 1 + (place - 1 + round) % (seats - 1);
            };
            std::vector<Route> routes;
            for (int place = 0; place < seats / 2; ++place) {
                const int a = seat(place);
                const int b = seat(seats - 1 - place);
                if (a < ranks && b < ranks) {
                    routes.push_back(direction == 0 ? Route{{a}, b} : Route{{b}, a});
                }
            }
            rounds.push_back(std::move(routes));
        }
    }
    return rounds;
}

std::vector<Problem> problems(const Options& given, int ranks) {
    const Options options = with_defaults(given);
    const Pattern pattern =
        options.pairs == bench::Switch::on ? Pattern::pairs : Pattern::all_to_one;
    std::vector<std::vector<Route>> rounds;
    if (pattern == Pattern::pairs) {
        rounds = pair_rounds(ranks);
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
