#pragma once

#include <memory>

#include "cg/problem.hpp"
#include "cg/laplace.hpp"
#include "cg/random_system.hpp"

namespace quartet::cg {

/// The problem's system. Local.
inline std::unique_ptr<LinearSystem> make_system(const Problem& problem, std::uint64_t seed) {
    if (problem.system == "laplace") {
        return std::make_unique<Laplace>(problem.size);
    }
    return std::make_unique<RandomSystem>(problem.size, seed);
}

/// Memory of that system on a rank: RandomSystem has more than Laplace, six vectors of doubles and
/// two of long doubles. Local.
inline Bytes system_memory(const Problem& problem) {
    return (6 * 8 + 2 * 16) * Bytes{problem.size};
}

}  // namespace quartet::cg
