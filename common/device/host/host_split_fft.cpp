#include "device/host/host_split_fft.hpp"

#include "device/host/lane_combine_pass.hpp"
#include "device/host/lane_tile_pass.hpp"
#include "device/host/plain_split_fft.hpp"

namespace quartet::device {

std::unique_ptr<TilePass> plan_host_tile_pass(const SplitFft& split, int threads) {
    require_valid(split);
    auto pass = plan_lane_tile_pass(split, threads);
    return pass ? std::move(pass) : plan_plain_tile_pass(split, threads);
}

std::unique_ptr<CombinePass> plan_host_combine_pass(const SplitFft& split, int threads) {
    require_valid(split);
    auto pass = plan_lane_combine_pass(split, threads);
    return pass ? std::move(pass) : plan_plain_combine_pass(split, threads);
}

Bytes host_split_fft_memory(const SplitFft& split, int threads) {
    require_valid(split);
    const auto tiles = lane_tile_pass_memory(split, threads);
    const auto sums = lane_combine_pass_memory(split, threads);
    return tiles.value_or(plain_tile_pass_memory(split)) +
           sums.value_or(plain_combine_pass_memory(split, threads));
}

}  // namespace quartet::device
