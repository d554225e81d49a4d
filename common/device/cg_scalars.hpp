#pragma once

#include <cstdint>
#include <limits>

namespace quartet::device {

/// The scalars of conjugate gradients (Saad, Iterative Methods for Sparse Linear Systems, 6.7),
/// kept in a device's memory beside the vectors, so that the CPU waits for none of them. Host and
/// GPU kernels call the same functions below.
struct CgScalars {
    double sum = 0;           ///< target of dots: p.Ap, then r.r after the update
    double product_dot = 0;   ///< target of r.Ar (single reduction)
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

/// Sets alpha from r.r and p.Ap, or notes the failure. After a failure alpha stays 0.
constexpr void set_alpha(CgScalars& scalars, double residual_dot, double curvature) {
    if (scalars.failed_at < 0 && !are_of_positive_definite(residual_dot, curvature)) {
        scalars.failed_at = scalars.done;
        scalars.failed_residual_dot = residual_dot;
        scalars.failed_curvature = curvature;
    }
    scalars.alpha = scalars.failed_at < 0 ? alpha_of(residual_dot, curvature) : 0;
}

/// Classic iteration, before the update: `sum` is p.Ap.
constexpr void update_alpha(CgScalars& scalars) {
    set_alpha(scalars, scalars.residual_dot, scalars.sum);
}

/// Classic iteration, after the update: `sum` is the new r.r, which also goes to history[done].
constexpr void update_beta(CgScalars& scalars, double* history) {
    scalars.beta = beta_of(scalars.sum, scalars.residual_dot, scalars.alpha);
    scalars.residual_dot = scalars.sum;
    history[++scalars.done] = scalars.residual_dot;
}

/// p.Ap of the single reduction, and the beta that goes with it.
struct Curvature {
    double beta;
    double value;
};
/// p.Ap = r.Ar - beta r.r / last alpha (Chronopoulos and Gear, 1989). Where rounding makes that
/// negative, p restarts as r: beta is 0.
constexpr Curvature curvature_of(double beta, double residual_dot, double product_dot,
                                 double last_alpha) {
    if (beta == 0)
        return {0, product_dot};
    const double value = product_dot - beta * residual_dot / last_alpha;
    if (value <= 0 && product_dot > 0)
        return {0, product_dot};
    return {beta, value};
}

/// Single reduction, before the update: `sum` is r.r, `product_dot` r.Ar. r.r also goes to
/// history[done].
constexpr void update_alpha_beta(CgScalars& scalars, double* history) {
    const double beta = beta_of(scalars.sum, scalars.residual_dot, scalars.alpha);
    const Curvature curvature = curvature_of(beta, scalars.sum, scalars.product_dot, scalars.alpha);
    scalars.beta = curvature.beta;
    set_alpha(scalars, scalars.sum, curvature.value);
    scalars.residual_dot = scalars.sum;
    history[scalars.done++] = scalars.residual_dot;
}

}  // namespace quartet::device
