#pragma once

#include "core/units.hpp"
#include "device/device.hpp"
#include "device/memory.hpp"

/// What stands in for a machine that is not there. A build for a simulator links
/// emulation_simulated.cpp, any other emulation_real.cpp.
namespace quartet::device {

/// Results::emulated, or Results::simulated.
Results emulation_results();

/// Whether the ranks are an MPI simulator's, of machines that are only described, in one process.
inline bool ranks_are_simulated() {
    return emulation_results() == Results::simulated;
}

/// Lets time pass for the calling rank: the simulated clock's, or real time, asleep but for the
/// last moments. Nothing for times that are not positive. By the thread that calls MPI.
void let_pass(Seconds time);

/// Memory that is large and whose contents nobody needs. On a real machine it is as good as any; in
/// a simulation all of it, of all ranks, is the same few pages, and messages from it to it are not
/// copied. Throws Failure where there is none.
Allocation allocate_unread(Bytes size, MemoryKind kind);

}  // namespace quartet::device
