#pragma once

#include "device/cuda/fft/four_step_kernels.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"

namespace quartet::device {

/// Tables of the powers of exp(-2 pi i / order) in the GPU's memory.
class TwiddleTables {
  public:
    TwiddleTables(std::int64_t order, CudaMemory& memory);

    [[nodiscard]] Twiddles view() const {
        return {coarse_.view().data(), fine_.view().data(), split_};
    }
    [[nodiscard]] static Bytes memory(std::int64_t order);

  private:
    TwiddleSplit split_;
    Buffer<double2> coarse_;
    Buffer<double2> fine_;
};

}  // namespace quartet::device
