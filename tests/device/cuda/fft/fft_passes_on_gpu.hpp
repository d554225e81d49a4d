#pragma once

#include "device/cuda/fft/fft_pass.hpp"
#include "device/cuda/gpu_array.hpp"

namespace quartet::device {

/// Where the GPU has the shared memory that passes take, their kernels are loaded.
class FftPassesOnGpu : public KernelTest {
  protected:
    void SetUp() override {
        KernelTest::SetUp();
        if (!has_fft_passes())
            GTEST_SKIP() << "the GPU has too little shared memory";
        cuda_check(load_fft_pass_kernels(), "the kernels");
    }
};

}  // namespace quartet::device
