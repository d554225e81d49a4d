#pragma once

#include <optional>
#include <string>

#include "device/cuda/fft/fft_passes.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"

namespace quartet::device {

/// What our own transforms on a GPU (fft_passes.hpp) share: the GPU's facts, and roots of unity in
/// its memory.
class PassLauncher {
  public:
    explicit PassLauncher(CudaMemory& memory);

    [[nodiscard]] const double2* roots() const { return roots_.view().data(); }
    [[nodiscard]] LaunchPass on(cudaStream_t stream) const;
    /// Bytes of the roots.
    static Bytes memory();

  private:
    Buffer<double2> roots_;
    int multiprocessors_ = 0;
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
