#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/cuda/fft/fft_passes.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"

namespace quartet::device {

struct DestroyStream {
    void operator()(cudaStream_t stream) const;
};

/// What our own transforms on a GPU (fft_passes.hpp) share: the GPU's facts, roots of unity in its
/// memory, and a stream for the second lane.
class PassLauncher {
  public:
    explicit PassLauncher(CudaMemory& memory);

    [[nodiscard]] const double2* roots() const { return roots_.view().data(); }
    /// Calls enqueue(launch), where launch enqueues a pass: those without a lane and the first
    /// lane's on `stream`, the other lane's on a stream between events of that one.
    void run(cudaStream_t stream, const std::function<void(const LaunchPass&)>& enqueue);
    /// Bytes of the roots.
    static Bytes memory();

  private:
    Buffer<double2> roots_;
    int multiprocessors_ = 0;
    std::unique_ptr<CUstream_st, DestroyStream> other_lane_;
    CudaEvent began_;
    CudaEvent ended_;
};

/// How the current GPU splits them; nothing where it has no such transform.
std::optional<FftSplit> split_on_gpu(std::int64_t points);
std::optional<ColumnSplit> split_on_gpu(std::int64_t tiles, std::int64_t columns);

/// All points, in natural order, out of place or in place.
class MultiPassFft {
  public:
    MultiPassFft(const FftSplit& split, CudaMemory& memory);

    void run(const double2* from, double2* to, cudaStream_t stream);
    /// "our passes of 2^9 x 2^9 x 2^9 points".
    [[nodiscard]] std::string description() const;
    /// Beside its views.
    static Bytes memory(const FftSplit& split);

  private:
    FftSplit split_;
    PassLauncher launcher_;
    Buffer<double2> work_;
    Buffer<double2> scratch_;
};

/// The last step of a transform in tiles, in place: factors and transforms over the tiles.
class MultiPassColumns {
  public:
    MultiPassColumns(const ColumnSplit& split, CudaMemory& memory);

    void run(double2* points, cudaStream_t stream);
    /// "our columns of 2^8 x 2^7 points".
    [[nodiscard]] std::string description() const;
    static Bytes memory(const ColumnSplit& split);

  private:
    ColumnSplit split_;
    PassLauncher launcher_;
    Buffer<double2> scratch_;
};

}  // namespace quartet::device
