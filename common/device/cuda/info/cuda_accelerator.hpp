#pragma once

#include <memory>

#include "device/accelerator.hpp"

namespace quartet::device {

/// GPUs that this process sees: those that CUDA_VISIBLE_DEVICES or the batch system leave it. 0
/// where why_no_cuda() has a reason.
int visible_gpus();

/// The GPU that is current for the calling thread. Its facts are the runtime's, and NVML's where
/// that is there.
std::unique_ptr<Accelerator> make_cuda_accelerator();

}  // namespace quartet::device
