#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure/probes.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// The time that the machine allows for one transform: the slowest of
///
///     copy        64 N bytes / sum of the ranks' copy rates
///     arithmetic  5 N log2 N operations / sum of the ranks' rates of multiply-adds
///     exchange    k 16 N (P - 1) / P^2 bytes / all-to-all bandwidth of a rank
///
/// with k = 1 exchange for the transposed order and 2 for the natural one. The fewest multiply-adds
/// known are 8/3 N log2 N (Linzer and Feig, IEEE Trans. Signal Processing 41, 1993), two operations
/// each: a little more than the 5 N log2 N that are counted.
class TransformLimit {
  public:
    /// Copies from `source` to `target`, the case's own memory, whose values are lost. Exchanges
    /// over `transport`. Collective; local while the arena plans.
    TransformLimit(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                   const Problem& problem, device::View<const Point> source,
                   device::View<Point> target);

    /// Copying the memory, the arithmetic and, with several ranks, the exchange. Collective.
    [[nodiscard]] std::vector<bench::LimitComponent> measure();

  private:
    bench::Session& session_;
    Problem problem_;
    bench::MemoryProbe copy_;
    int passes_ = 0;   ///< of copy_; 0 before the first measurement
    std::string way_;  ///< of copy_, summarised over the ranks
    bench::ArithmeticLimit arithmetic_;
    std::optional<bench::AllToAllProbe> exchange_;  ///< with several ranks
};

}  // namespace quartet::fft
