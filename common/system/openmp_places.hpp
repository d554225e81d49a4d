#pragma once

#include <vector>

namespace quartet::system {

/// The CPUs (OS numbers, ascending) of all places to which OpenMP binds this process's threads, as
/// OMP_PROC_BIND, OMP_PLACES and the like tell it; empty where it does not bind. The main thread is
/// at the first of them from the start: its own binding says nothing of the others'.
std::vector<int> openmp_places();

}  // namespace quartet::system
