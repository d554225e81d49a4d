#pragma once

#include <cstddef>
#include <functional>

#include "core/units.hpp"

namespace quartet {

/// The time that a choice by fastest() may take, roughly.
inline constexpr Seconds choice_time{0.1};

/// Tries a way, and returns its time for a fixed unit of work. Rounds count from 0.
using Trial = std::function<Seconds(std::size_t way, std::int64_t round)>;

/// Returns the fastest of `ways` (at least one). Each round tries every way once; rounds repeat for
/// `time`, at least three times. The lower quartile of a way's times counts: disturbances lengthen
/// trials, and the shortest one may be a neighbour's pause. A way must be 1% faster than the best
/// before it.
std::size_t fastest(std::size_t ways, Seconds time, const Trial& trial);

/// The piece, of `pieces`, that a trial works on. In each round the ways' pieces lie far apart, and
/// in the course of the rounds each way uses all of them: no way finds in the caches what another
/// way has left there, unless the caches hold all pieces.
std::int64_t trial_piece(std::size_t way, std::size_t ways, std::int64_t round,
                         std::int64_t pieces);

}  // namespace quartet
