#include "device/host/fft/host_four_step_fft.hpp"

#include "device/host/fft/scalar_four_step_fft.hpp"
#include "device/host/fft/simd_column_ffts.hpp"
#include "device/host/fft/simd_row_ffts.hpp"

namespace quartet::device {

std::unique_ptr<ColumnFfts> plan_host_column_ffts(const FourStepFft& split, int threads) {
    require_valid(split);
    auto pass = plan_simd_column_ffts(split, threads);
    return pass ? std::move(pass) : plan_scalar_column_ffts(split, threads);
}

std::unique_ptr<RowFfts> plan_host_row_ffts(const FourStepFft& split, int threads) {
    require_valid(split);
    auto pass = plan_simd_row_ffts(split, threads);
    return pass ? std::move(pass) : plan_scalar_row_ffts(split, threads);
}

Bytes host_four_step_fft_memory(const FourStepFft& split, int threads) {
    require_valid(split);
    const auto tiles = simd_column_ffts_memory(split, threads);
    const auto sums = simd_row_ffts_memory(split, threads);
    return tiles.value_or(scalar_column_ffts_memory(split)) +
           sums.value_or(scalar_row_ffts_memory(split, threads));
}

}  // namespace quartet::device
