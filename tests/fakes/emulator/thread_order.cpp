#include "fakes/emulator/thread_order.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/check.hpp"

namespace quartet::emulator {

Order order_of_name(std::string_view name) {
    if (name == "descending")
        return Order::descending;
    if (name == "shuffled")
        return Order::shuffled;
    check(name == "ascending", "no order of emulated threads is called " + std::string(name) +
                                   ": use ascending, descending or shuffled");
    return Order::ascending;
}

const std::vector<unsigned>& ThreadOrder::turns(unsigned threads) {
    if (order_ == Order::shuffled) {
        shuffle(threads);
    } else if (turns_.size() != threads) {
        turns_.resize(threads);
        std::iota(turns_.begin(), turns_.end(), 0U);
        if (order_ == Order::descending)
            std::ranges::reverse(turns_);
    }
    return turns_;
}

void ThreadOrder::shuffle(unsigned threads) {
    std::vector<unsigned> warps(warps_of(threads));
    std::iota(warps.begin(), warps.end(), 0U);
    std::shuffle(warps.begin(), warps.end(), random_);
    turns_.clear();
    for (const unsigned warp : warps) {
        const auto first = static_cast<std::ptrdiff_t>(turns_.size());
        for (unsigned thread = warp * warp_size; thread < std::min((warp + 1) * warp_size, threads);
             ++thread)
            turns_.push_back(thread);
        std::shuffle(turns_.begin() + first, turns_.end(), random_);
    }
}

}  // namespace quartet::emulator
