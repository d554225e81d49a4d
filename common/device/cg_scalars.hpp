#pragma once

#include <cstdint>

namespace quartet::device {

/// The scalars of conjugate gradients that stay with the vectors, in memory of the device: kernels
/// make each from those before it, so that the CPU need not wait for any. The functions are those
/// of the host's and of the GPU's kernels.
struct CgScalars {
    double sum = 0;           ///< where a dot goes: p.Ap; then r.r after the step
    double product_dot = 0;   ///< where r.Ar goes, of the single reduction
    double residual_dot = 0;  ///< r.r, before the step
    double step = 0;          ///< length of the last step; 0: the next begins anew
    double turn = 0;          ///< how much of the old direction the new one keeps
    std::int64_t done = 0;    ///< iterations
    /// The first iteration whose scalars say that the matrix is not positive definite, and what
    /// they were; -1: none. Steps from it on are 0.
    std::int64_t failed_at = -1;
    double failed_residual_dot = 0;
    double failed_curvature = 0;
};

/// Numbers below it have lost digits: std::numeric_limits<double>::min(), which kernels cannot call
/// without further ado.
inline constexpr double smallest_normal_double = 0x1p-1022;

constexpr bool is_finite(double value) {
    return value - value == 0;
}

/// Whether r.r and p.Ap can be those of a positive definite matrix.
constexpr bool are_of_positive_definite(double residual_dot, double curvature) {
    return is_finite(residual_dot) && curvature > -smallest_normal_double && is_finite(curvature);
}

/// The step r.r / p.Ap; 0 where one of them is below the smallest normal number: all that there is
/// to gain has been gained.
constexpr double step_length(double residual_dot, double curvature) {
    const bool nothing_left =
        residual_dot < smallest_normal_double || curvature < smallest_normal_double;
    return nothing_left ? 0 : residual_dot / curvature;
}

/// How much of the old direction the new one keeps: r.r of now over that of before; 0 after a step
/// of 0.
constexpr double turn_of(double residual_dot, double before, double last_step) {
    return last_step == 0 || before < smallest_normal_double ? 0 : residual_dot / before;
}

/// The step from r.r and p.Ap. From a failure on nothing changes any more.
constexpr void take_step(CgScalars& scalars, double residual_dot, double curvature) {
    if (scalars.failed_at < 0 && !are_of_positive_definite(residual_dot, curvature)) {
        scalars.failed_at = scalars.done;
        scalars.failed_residual_dot = residual_dot;
        scalars.failed_curvature = curvature;
    }
    scalars.step = scalars.failed_at < 0 ? step_length(residual_dot, curvature) : 0;
}

/// The classic iteration, p.Ap being in `sum`: the step.
constexpr void find_step(CgScalars& scalars) {
    take_step(scalars, scalars.residual_dot, scalars.sum);
}

/// The classic iteration, r.r after the step being in `sum`: the turn. `history` gets r.r after the
/// iteration in the place of its number.
constexpr void find_turn(CgScalars& scalars, double* history) {
    scalars.turn = turn_of(scalars.sum, scalars.residual_dot, scalars.step);
    scalars.residual_dot = scalars.sum;
    history[++scalars.done] = scalars.residual_dot;
}

/// p.Ap of the single reduction, from r.r and r.Ar, and whether the direction goes on.
struct Curvature {
    double turn;
    double value;
};
constexpr Curvature curvature_of(double turn, double residual_dot, double product_dot,
                                 double last_step) {
    if (turn == 0)
        return {0, product_dot};
    const double value = product_dot - turn * residual_dot / last_step;
    if (value <= 0 && product_dot > 0)  // by rounding: the direction begins anew
        return {0, product_dot};
    return {turn, value};
}

/// The single reduction, r.r being in `sum` and r.Ar in `product_dot`: turn and step. `history`
/// gets r.r before the iteration in the place of the iterations done before it.
constexpr void find_turn_and_step(CgScalars& scalars, double* history) {
    const double turn = turn_of(scalars.sum, scalars.residual_dot, scalars.step);
    const Curvature curvature = curvature_of(turn, scalars.sum, scalars.product_dot, scalars.step);
    scalars.turn = curvature.turn;
    take_step(scalars, scalars.sum, curvature.value);
    scalars.residual_dot = scalars.sum;
    history[scalars.done++] = scalars.residual_dot;
}

}  // namespace quartet::device
