#pragma once

#include "device/host/loops/loops.hpp"

namespace quartet::device::QUARTET_ISA {

extern const VectorLoops vector_loops;
extern const MemoryLoops memory_loops;
extern const PeakLoops peak_loops;
extern const Loops loops;

}  // namespace quartet::device::QUARTET_ISA
