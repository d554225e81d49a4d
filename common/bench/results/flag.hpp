#pragma once

#include <array>
#include <string>
#include <string_view>

namespace quartet::bench {

/// What disturbed a run.
enum class Cause {
    others,   ///< other processes ran
    waiting,  ///< threads of the job waited for a core
    stolen,   ///< the hypervisor withheld the cores
    clock,    ///< the cores were slow: a lower clock, or two hyperthreads of one core
    faults,   ///< pages had to be found
};
inline constexpr int cause_count = 5;
/// The word in documents: "others", "waiting", ...
std::string_view name(Cause cause);

/// Why a row's figures may not be the machine's, as far as the row alone tells.
enum class FlagKind {
    disturbed,     ///< more than a quarter of its runs were
    drift,         ///< the runs became slower or faster
    step,          ///< at some run the speed changed
    two_speeds,    ///< the runs have two speeds, in turn
    limit_moved,   ///< the limit did so while it was probed
    slow_library,  ///< a library that decides the limit is far below what the hardware allows
    above_limit,   ///< the limit is too low, by more than chance
    overhead,      ///< the timer and the barrier take more than 1% of a run
    held_back,     ///< a GPU's clocks were held down: by power limit, temperature or power supply
};
inline constexpr std::array all_flag_kinds{
    FlagKind::disturbed,   FlagKind::drift,       FlagKind::step,
    FlagKind::two_speeds,  FlagKind::limit_moved, FlagKind::slow_library,
    FlagKind::above_limit, FlagKind::overhead,    FlagKind::held_back};
/// The word in documents: "disturbed", "drift", ...
std::string_view name(FlagKind kind);

/// Whether such a row is marked `?` and not to be quoted. A row above its limit has a mark of its
/// own; overhead belongs to small sizes, and what holds a GPU back to the machine.
constexpr bool distrusts(FlagKind kind) {
    return kind != FlagKind::above_limit && kind != FlagKind::overhead &&
           kind != FlagKind::held_back;
}

/// A reason, with its figures in plain words.
struct Flag {
    FlagKind kind = FlagKind::disturbed;
    std::string text;
};

}  // namespace quartet::bench
