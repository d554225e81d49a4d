#pragma once

#include "core/units.hpp"

namespace quartet::system {

/// How long the slowest of `threads` threads takes for 120000 multiplications of integers in its
/// registers, all threads at once; the shortest of a few tries, about 0.1 ms together. A core of a
/// lower clock takes longer, and one whose hyperthreads both compute twice as long: processors of a
/// virtual machine may be such a pair now and two cores a second later, and nothing else in it
/// tells. Local.
Seconds probe_clock(int threads);

}  // namespace quartet::system
