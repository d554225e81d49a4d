#pragma once

#include <memory>
#include <string>

#include "bench/measure/limits.hpp"
#include "bench/program/session.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// The time that the machine allows one transform: the slower of
/// 64 N bytes / sum of the ranks' copy rates, and
/// k 16 N (P - 1) / P^2 bytes / all-to-all bandwidth of a rank, k = 1 for the transposed order, 2
/// for the natural one.
class Limit {
  public:
    /// Copies from `source` to `target`, the case's own memory; what is in `target` is lost.
    /// Exchanges over `transport`. Collective.
    Limit(bench::Session& session, comm::Transport& transport, const Problem& problem,
          device::View<const Point> source, device::View<Point> target);

    /// Collective.
    [[nodiscard]] Seconds measure();
    [[nodiscard]] std::string name() const;

    /// What the probe of the exchange takes on each rank, in windows where they are shared.
    [[nodiscard]] static Bytes exchange_memory(const Problem& problem, int ranks);

  private:
    bench::Session& session_;
    Problem problem_;
    bench::MemoryProbe copy_;
    int passes_ = 1;
    std::unique_ptr<bench::AllToAllProbe> exchange_;  ///< with several ranks
};

}  // namespace quartet::fft
