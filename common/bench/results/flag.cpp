#include "bench/results/flag.hpp"

#include <array>
#include <cstddef>

namespace quartet::bench {

std::string_view name(Cause cause) {
    constexpr std::array<std::string_view, cause_count> names{"others", "waiting", "stolen",
                                                              "clock", "faults"};
    return names.at(static_cast<std::size_t>(cause));
}

std::string_view name(FlagKind kind) {
    constexpr std::array<std::string_view, all_flag_kinds.size()> names{
        "disturbed",    "drift",       "step",     "two_speeds", "limit_moved",
        "slow_library", "above_limit", "overhead", "held_back"};
    return names.at(static_cast<std::size_t>(kind));
}

}  // namespace quartet::bench
