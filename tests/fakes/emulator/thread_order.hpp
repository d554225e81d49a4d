#pragma once

#include <random>
#include <string_view>
#include <vector>

namespace quartet::emulator {

inline constexpr unsigned warp_size = 32;

[[nodiscard]] constexpr unsigned warps_of(unsigned threads) {
    return (threads + warp_size - 1) / warp_size;
}

/// In which order the warps of a block run between two barriers, and the threads of each. A result
/// that depends on it is that of a race.
enum class Order { ascending, descending, shuffled };

/// Throws Failure for another name than theirs.
[[nodiscard]] Order order_of_name(std::string_view name);

/// The turns of a block's threads, warp by warp.
class ThreadOrder {
  public:
    explicit ThreadOrder(Order order) : order_(order) {}

    /// For the next block; in a shuffled order each has others.
    [[nodiscard]] const std::vector<unsigned>& turns(unsigned threads);

  private:
    void shuffle(unsigned threads);

    Order order_;
    std::mt19937 random_{1};
    std::vector<unsigned> turns_;
};

}  // namespace quartet::emulator
