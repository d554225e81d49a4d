#pragma once

#include <cstdint>
#include <limits>

namespace quartet::cg {

/// The scalars of conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, 6.7),
/// kept in a GPU's memory beside the vectors, so that the CPU waits for none of them. Host and GPU
/// call the same functions below.
struct CgScalars {
    double sum = 0;           ///< r.r after the last update
    double residual_dot = 0;  ///< r.r before the update
    double alpha = 0;         ///< of the last iteration, x += alpha p; 0: the next p is r
    double beta = 0;          ///< of the last iteration, p = r + beta p
    std::int64_t done = 0;    ///< iterations
    /// The first iteration whose scalars show a matrix that is not positive definite, and those
    /// scalars; -1: none. From it on alpha is 0.
    std::int64_t failed_at = -1;
    double failed_residual_dot = 0;
    double failed_curvature = 0;
};

/// Smaller numbers are subnormal: they have lost digits.
inline constexpr double smallest_normal = std::numeric_limits<double>::min();

constexpr bool is_finite(double value) {
    return value - value == 0;  // NOLINT(misc-redundant-expression): neither of infinity nor of NaN
}

/// Whether r.r and p.Ap can be those of a positive definite matrix.
constexpr bool are_of_positive_definite(double residual_dot, double curvature) {
    return is_finite(residual_dot) && curvature > -smallest_normal && is_finite(curvature);
}

/// alpha = r.r / p.Ap; 0 if either is below the smallest normal number: x has converged.
constexpr double alpha_of(double residual_dot, double curvature) {
    const bool converged = residual_dot < smallest_normal || curvature < smallest_normal;
    return converged ? 0 : residual_dot / curvature;
}

/// beta = r.r / r.r before; 0 after an alpha of 0.
constexpr double beta_of(double residual_dot, double before, double last_alpha) {
    return last_alpha == 0 || before < smallest_normal ? 0 : residual_dot / before;
}

}  // namespace quartet::cg
