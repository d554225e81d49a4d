#include "device/host/loops/per_isa/per_isa.hpp"
#include "device/host/loops/per_isa/simd.hpp"

namespace quartet::device::QUARTET_ISA {

constinit const Loops loops{QUARTET_ISA_NAME, vector_loops, memory_loops, peak_loops};

}  // namespace quartet::device::QUARTET_ISA
