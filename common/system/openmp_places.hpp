#pragma once

#include <vector>

namespace quartet::system {

/// The CPUs (OS numbers, ascending) of all places to which OpenMP binds this process's threads
/// (OMP_PROC_BIND, OMP_PLACES); empty if it does not bind. The main thread's own binding is no
/// substitute: it is bound to the first place only.
std::vector<int> openmp_places();

}  // namespace quartet::system
