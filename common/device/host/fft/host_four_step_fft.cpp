#include "device/host/fft/host_four_step_fft.hpp"

#include "device/host/fft/scalar_four_step_fft.hpp"
#include "device/host/fft/simd_column_ffts.hpp"
#include "device/host/fft/simd_row_ffts.hpp"

namespace quartet::device {

std::unique_ptr<ColumnFfts> plan_host_column_ffts(const FourStepFft& shape, int threads) {
    require_valid(shape);
    auto plan = plan_simd_column_ffts(shape, threads);
    return plan ? std::move(plan) : plan_scalar_column_ffts(shape, threads);
}

std::unique_ptr<RowFfts> plan_host_row_ffts(const FourStepFft& shape, int threads) {
    require_valid(shape);
    auto plan = plan_simd_row_ffts(shape, threads);
    return plan ? std::move(plan) : plan_scalar_row_ffts(shape, threads);
}

Bytes host_four_step_fft_memory(const FourStepFft& shape, int threads) {
    require_valid(shape);
    const auto tiles = simd_column_ffts_memory(shape, threads);
    const auto sums = simd_row_ffts_memory(shape, threads);
    return tiles.value_or(scalar_column_ffts_memory(shape)) +
           sums.value_or(scalar_row_ffts_memory(shape, threads));
}

}  // namespace quartet::device
