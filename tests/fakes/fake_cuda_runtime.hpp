#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>

#include "device/stream.hpp"

/// A fake of the CUDA runtime and its libraries, which runs on the CPU: with it the CUDA device
/// passes the contract suites where there is no GPU. A stream is a threaded one of the host device,
/// kernels are the true ones (emulator/launch.hpp), and memory of the GPU cannot be touched by the
/// CPU (fake_gpu_memory.hpp). What the runtime refuses, it refuses too: times of events that have
/// not happened, copies in a direction that the memory does not have, host work that calls CUDA, a
/// process that opens its own memory's handle, and while a thread captures: to take or give memory,
/// and the first call on a library's handle. As in the real one, a full queue (of 256 operations
/// here, about 1024 there), a copy to pageable memory, and giving memory back block the caller. New
/// memory is full of rubbish. How many GPUs a process sees, and which reach one another, is said in
/// fake_gpu_node.hpp.
namespace quartet::device {

/// The stream behind a CUDA stream.
Stream& fakes(cudaStream_t stream);

/// Enqueues a kernel: work that may be larger than a task, and is kept for as long as it may run.
using KernelWork = std::shared_ptr<const std::function<void()>>;
void enqueue_kernel(cudaStream_t stream, KernelWork work);
/// Counts a kernel on the stream's GPU: for libraries, whose kernels are work of the stream.
void count_kernel(cudaStream_t stream);
/// What a call returns that has come so far: the error that the GPU has run into, if any.
cudaError_t result(cudaError_t status);
/// What a call returns that may not be made while the calling thread captures: then the capture is
/// lost.
cudaError_t refused_in_capture();
/// Whether that holds for the first call on a library's handle, which loads kernels.
inline bool refuses_first_use(bool& used) {
    used = used || refused_in_capture() == cudaSuccess;
    return !used;
}
/// Returns when all streams have done what was enqueued.
void finish_all_streams();
/// What the runtime says of its last call.
void set_last_error(cudaError_t status);

/// From now on, or no longer, the GPU has run into an illegal address, or whatever `status` is.
void break_gpu(cudaError_t status = cudaErrorIllegalAddress);
void repair_gpu();

/// From now on, or no longer, this process cannot map what others have on their GPUs.
void hide_peers();
void show_peers();

}  // namespace quartet::device
