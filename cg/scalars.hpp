#pragma once

#include <limits>

namespace quartet::cg {

/// The scalars of conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, 6.7), by
/// functions that the host and GPUs call.

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
