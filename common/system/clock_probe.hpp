#pragma once

#include "core/units.hpp"

namespace quartet::system {

/// Times 120000 integer multiplications in registers on each of `threads` threads at once. Returns
/// the slowest thread's time in the best of a few tries (about 0.1 ms in all). A lower clock shows
/// as a longer time, and two busy hyperthreads of one core as twice the time. A virtual machine's
/// processors may share a core at one time and not at another; nothing else in it shows that.
/// Local.
Seconds probe_clock(int threads);

}  // namespace quartet::system
