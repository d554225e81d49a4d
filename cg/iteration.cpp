#include "cg/iteration.hpp"

#include <fmt/format.h>

#include "device/cg_scalars.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

void begin_classic(IterationState& state, device::View<const double> right_side,
                   device::Device& device, device::Stream& stream) {
    device.vectors().fill(0.0, state.solution, stream);
    device.copy(device::as_bytes(right_side), device::as_bytes(state.residual), stream);
    device.copy(device::as_bytes(right_side), device::as_bytes(state.direction), stream);
    state.alpha = 0;
    state.done = 0;
}

double alpha_of(double residual_dot, double curvature, std::int64_t iteration,
                const std::string& matrix) {
    if (!device::are_of_positive_definite(residual_dot, curvature)) {
        throw Failure(fmt::format(
            "{} is not positive definite (p.Ap = {:.3g}, r.r = {:.3g} in iteration {}): conjugate "
            "gradients need a symmetric positive definite matrix",
            matrix, curvature, residual_dot, iteration + 1));
    }
    return device::alpha_of(residual_dot, curvature);
}

}  // namespace quartet::cg
