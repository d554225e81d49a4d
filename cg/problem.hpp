#pragma once

#include <cstdint>
#include <string>

#include "bench/row.hpp"
#include "cg/options.hpp"
#include "core/units.hpp"

namespace quartet::cg {

/// One case of the paper's dense conjugate gradients (VI.C): a symmetric system of `size`
/// unknowns, in so many iterations.
struct Problem {
    std::string system;  ///< "laplace", "random", or the path of an .npy file
    std::int64_t size = 0;
    int iterations = 0;
    Storage storage = Storage::full;
    Algorithm algorithm = Algorithm::classic;

    /// What the row calls the system: the file's name without its folder.
    [[nodiscard]] std::string word() const;
    /// Counted: iterations x 2 N^2 (VI.C), which leaves out the vectors. Traffic: the matrix once
    /// an iteration, 8 N^2 bytes or, of a triangle, 4 N^2.
    [[nodiscard]] bench::Work work(int ranks) const;
};

}  // namespace quartet::cg
