#pragma once

#include "core/units.hpp"
#include "device/device.hpp"
#include "device/memory.hpp"

/// A stand-in for a machine that is not there. A build for a simulator links
/// emulation_simulated.cpp, any other build emulation_real.cpp.
namespace quartet::device {

/// Results::emulated, or Results::simulated.
Results emulation_results();

/// Whether an MPI simulator runs the ranks, in one process, on machines that are only described.
inline bool ranks_are_simulated() {
    return emulation_results() == Results::simulated;
}

/// Lets time pass for the calling rank: the simulated clock's, or real time, asleep but for the
/// last moments. Nothing for times that are not positive. By the thread that calls MPI.
void let_pass(Seconds time);

/// Large memory whose contents nobody needs. On a real machine it is ordinary memory. In a
/// simulation the same few pages serve all of it on all ranks, and messages between such memory are
/// not copied. Throws Failure if there is none.
Allocation allocate_unread(Bytes size, MemoryKind kind);

}  // namespace quartet::device
