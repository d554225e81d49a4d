#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/four_step_fft.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// `batch` transforms of `length` points each, stored one after another.
struct FftShape {
    std::int64_t length = 0;
    std::int64_t batch = 1;
};

/// A prepared complex-to-complex forward transform, X_k = sum_n x_n exp(-2 pi i n k / length),
/// unnormalised, double precision. Planning may take long; executing allocates nothing.
class FftPlan {
  public:
    virtual ~FftPlan() = default;

    /// Both views hold batch x length points, are aligned to whole points (16 bytes) and do not
    /// overlap; otherwise throws Failure. `input` keeps its values. The plan must live until the
    /// work is synchronised.
    virtual void forward(View<const std::complex<double>> input, View<std::complex<double>> output,
                         Stream& stream) = 0;
};

/// Plans a device's Fourier transforms. Plans may allocate; they must not outlive the device.
class FftFactory {
  public:
    virtual ~FftFactory() = default;

    /// Throws Failure for a length below 1 or a negative batch.
    virtual std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) = 0;

    /// The steps of a four-step FFT. Throw Failure for an impossible shape.
    virtual std::unique_ptr<ColumnFfts> plan_column_ffts(const FourStepFft& shape) = 0;
    virtual std::unique_ptr<RowFfts> plan_row_ffts(const FourStepFft& shape) = 0;
    virtual std::unique_ptr<Transpose> plan_transpose(const FourStepFft& shape) = 0;
    /// Null on a GPU: the data flow merges on the CPU.
    virtual std::unique_ptr<ScatterTile> plan_scatter_tile(const FourStepFft&) { return nullptr; }
    /// The most memory that these steps take together, beside their views.
    [[nodiscard]] virtual Bytes four_step_fft_memory(const FourStepFft& shape) const = 0;

    /// One rank's whole transform and the memory that it takes beside its views, if the device has
    /// one that is faster than ColumnFfts and RowFfts; otherwise null, and no memory.
    virtual std::unique_ptr<SingleRankFft> plan_single_rank_fft(const FourStepFft&) {
        return nullptr;
    }
    [[nodiscard]] virtual std::optional<Bytes> single_rank_fft_memory(const FourStepFft&) const {
        return std::nullopt;
    }

    /// The library behind it and its version, for the record.
    [[nodiscard]] virtual std::string description() const = 0;
};

}  // namespace quartet::device
