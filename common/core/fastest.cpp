#include "core/fastest.hpp"

#include <algorithm>
#include <vector>

namespace quartet {

namespace {

constexpr std::int64_t least_rounds = 3;
constexpr std::int64_t most_rounds = 100;
constexpr double worth_it = 0.99;

Seconds fast_quartile(std::vector<Seconds>& trials) {
    const auto place = trials.begin() + std::ssize(trials) / 4;
    std::ranges::nth_element(trials, place);
    return *place;
}

}  // namespace

std::size_t fastest(std::size_t ways, Seconds time, const Trial& trial) {
    if (ways == 1)
        return 0;
    std::vector<std::vector<Seconds>> trials(ways);
    const Seconds end = now() + time;
    for (std::int64_t round = 0; round < least_rounds || (round < most_rounds && now() < end);
         ++round)
        for (std::size_t way = 0; way < ways; ++way)
            trials[way].push_back(trial(way, round));
    std::size_t best = 0;
    Seconds least = fast_quartile(trials[0]);
    for (std::size_t way = 1; way < ways; ++way) {
        const Seconds found = fast_quartile(trials[way]);
        if (found < worth_it * least) {
            best = way;
            least = found;
        }
    }
    return best;
}

std::int64_t trial_piece(std::size_t way, std::size_t ways, std::int64_t round,
                         std::int64_t pieces) {
    const auto number = static_cast<std::int64_t>(way);
    return (round + number * pieces / static_cast<std::int64_t>(ways)) % pieces;
}

}  // namespace quartet
