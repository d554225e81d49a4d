#pragma once

#include <cstddef>
#include <functional>

#include "core/units.hpp"

namespace quartet {

/// How long a choice among ways to do something may take, about.
inline constexpr Seconds choice_time{0.1};

/// The time that a trial of a way took for some unit of work. Rounds count from 0.
using Trial = std::function<Seconds(std::size_t way, std::int64_t round)>;

/// Which of `ways` (at least one) is fastest: rounds of a trial each for `time`, three at least. Of
/// each way the quartile of the fastest trials counts: disturbances make trials longer, and a
/// single short one may be a neighbour's pause. A way must be 1% faster than those before it.
std::size_t fastest(std::size_t ways, Seconds time, const Trial& trial);

/// The piece, of `pieces`, that a trial works on. In each round the ways' pieces lie far apart, and
/// each way comes to all of them: none finds in the caches what another one left there, unless they
/// hold all pieces.
std::int64_t trial_piece(std::size_t way, std::size_t ways, std::int64_t round,
                         std::int64_t pieces);

}  // namespace quartet
