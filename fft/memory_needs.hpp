#pragma once

#include "core/units.hpp"

namespace quartet::fft {

/// What a case allocates on one rank, at most.
struct MemoryNeeds {
    Bytes host;     ///< of the node's memory, windows included
    Bytes windows;  ///< of it, in windows that take space of /dev/shm
    Bytes device;   ///< of the rank's GPU memory
};

}  // namespace quartet::fft
