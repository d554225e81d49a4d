#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"

namespace quartet::system {

/// A cache of the first core, as the kernel describes it.
struct Cache {
    std::string type;  ///< "Data", "Instruction", "Unified"
    int level = 0;
    Bytes size;
    int cores = 1;  ///< that share it
};

/// In the kernel's order; none where it does not tell. Local.
std::vector<Cache> caches();

/// What a core can fill of the caches above the first while all others do the same: 4 MiB where
/// the kernel does not tell. Read once. Local.
Bytes cache_share();

}  // namespace quartet::system
