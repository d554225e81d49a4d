#include "system/processor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "system/parallel_for.hpp"

namespace quartet::system {

namespace {

constexpr int tries = 3;
constexpr int steps = 20000;
// A multiplication takes three or four cycles, but a core begins one in each cycle.
constexpr std::size_t independent = 6;
constexpr std::uint64_t odd_factor = 0x5851F42D4C957F2D;

std::atomic<std::uint64_t> seed{1};  // the compiler cannot know it, nor who reads the products

Seconds time_once() {
    std::array<std::uint64_t, independent> products;
    for (std::size_t i = 0; i < independent; ++i) {
        products[i] = seed.load(std::memory_order_relaxed) + 2 * i;
    }
    const Seconds begin = now();
    for (int step = 0; step < steps; ++step) {
        for (std::uint64_t& product : products) {
            product *= odd_factor;
        }
    }
    for (const std::uint64_t product : products) {
        seed.store(product, std::memory_order_relaxed);
    }
    return now() - begin;
}

}  // namespace

Seconds probe_clock(int threads) {
    std::vector<Seconds> shortest(static_cast<std::size_t>(threads));
    parallel_parts(threads, [&](int thread) {
        Seconds& mine = shortest[static_cast<std::size_t>(thread)];
        mine = time_once();
        for (int more = 1; more < tries; ++more) {
            mine = std::min(mine, time_once());
        }
    });
    return *std::ranges::max_element(shortest);
}

}  // namespace quartet::system
