#pragma once

#include <string>

#include "core/units.hpp"
#include "device/cuda/info/gpu_facts.hpp"

namespace quartet::device {

/// GPUs that this process sees: those that CUDA_VISIBLE_DEVICES or the batch system leave it. 0
/// where why_no_cuda() has a reason.
int visible_gpus();

/// The memory of the GPU that is current, whoever uses it.
struct GpuMemory {
    Bytes free;
    Bytes total;
};

/// Throws Failure where there is no GPU.
GpuMemory current_gpu_memory();

/// Facts about the GPU that is current: by the runtime, and by NVML where that is there. Name, UUID
/// and memory are those of a part of a GPU where only that is ours (MIG).
GpuFacts current_gpu_facts();

/// Model, architecture, memory and versions of the current GPU in one line, for the record.
std::string describe_current_gpu();

}  // namespace quartet::device
