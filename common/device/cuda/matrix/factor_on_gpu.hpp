#pragma once

namespace quartet::device {

class Factor;

/// A factor as kernels take it: the number at `address`, or `number` if that is null.
struct FactorOnGpu {
    double number;
    const double* address;
};

/// Throws Failure for an address that kernels cannot reach.
FactorOnGpu on_gpu(const Factor& factor);

}  // namespace quartet::device
