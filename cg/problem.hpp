#pragma once

#include <cstdint>
#include <string>

#include "bench/results/row.hpp"
#include "cg/options.hpp"
#include "comm/topology/roles.hpp"
#include "core/block_range.hpp"
#include "core/units.hpp"

namespace quartet::cg {

/// One case of the paper's dense conjugate gradients (VI.C): a symmetric system of `size` unknowns,
/// and a fixed number of iterations.
struct Problem {
    std::string system;  ///< "laplace" or "random"
    std::int64_t size = 0;
    int iterations = 0;
    Storage storage = Storage::full;

    /// The name of the matrix in error messages: "matrix 'laplace'".
    [[nodiscard]] std::string title() const;
    /// Rows of the vectors, and of a full matrix, that a rank has: none on a reducer.
    [[nodiscard]] Range rows(const comm::Roles& roles, int rank) const;
    /// Rows of the worker that has most.
    [[nodiscard]] std::int64_t largest_rows(const comm::Roles& roles) const;
    /// Counted: iterations x 2 N^2 (VI.C), which leaves out the vectors. Traffic: the matrix once
    /// an iteration, 8 N^2 bytes or, of a triangle, 4 N^2.
    [[nodiscard]] bench::Work work(int workers) const;
};

/// With `dataflow` the first rank reduces and the others work; otherwise all work. Throws
/// UsageError for too few ranks.
comm::Roles roles_of(bench::Formulation formulation, int ranks);

}  // namespace quartet::cg
