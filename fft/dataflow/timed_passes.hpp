#pragma once

#include <functional>
#include <utility>

#include "bench/measure/probes.hpp"

namespace quartet::fft {

/// Times work that is done as often as fills a probe's time.
class TimedPasses {
  public:
    /// Does the work twice: the first time meets cold caches.
    explicit TimedPasses(std::function<void()> work) : work_(std::move(work)) {
        work_();
        passes_ = bench::passes_in(bench::probe_time, measure());
    }

    /// The time of one pass.
    [[nodiscard]] Seconds measure() const {
        const Seconds begin = now();
        for (int pass = 0; pass < passes_; ++pass) {
            work_();
        }
        return (1.0 / passes_) * (now() - begin);
    }

  private:
    std::function<void()> work_;
    int passes_ = 1;
};

}  // namespace quartet::fft
