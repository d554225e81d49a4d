#include "device/cuda/matrix/factor_on_gpu.hpp"

#include "device/vector_operations.hpp"

namespace quartet::device {

FactorOnGpu on_gpu(const Factor& factor) {
    check(factor.address() == nullptr || factor.kind() != MemoryKind::host,
          "an operation of the GPU on memory of the host");
    return {factor.number(), factor.address()};
}

}  // namespace quartet::device
