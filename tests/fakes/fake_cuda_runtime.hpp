#pragma once

#include <cuda_runtime.h>

#include "device/stream.hpp"

/// A fake of the CUDA runtime, its libraries and the kernels, which runs on the CPU: with it
/// the CUDA device passes the contract suites where there is no GPU. A stream is a threaded one of
/// the host device, a kernel a loop, and memory of the GPU cannot be touched by the CPU
/// (fake_gpu_memory.hpp). What the runtime refuses, it refuses too: times of events that have not
/// happened, copies in a direction that the memory does not have, host work that calls CUDA, a
/// process that opens its own memory's handle. New memory is full of rubbish. Every process sees
/// one GPU.
namespace quartet::device {

/// The stream behind a CUDA stream.
Stream& fakes(cudaStream_t stream);

/// From now on, or no longer, the GPU has run into an illegal address.
void break_gpu();
void repair_gpu();

/// From now on, or no longer, this process cannot map what others have on their GPUs.
void hide_peers();
void show_peers();

}  // namespace quartet::device
