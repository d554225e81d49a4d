#include "device/multiply_add_probe.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "device/host/host_device.hpp"
#include "device/host/loops/loops.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr Seconds trial{0.001};
constexpr int tries = 3;

double rate_of(int threads, PeakLoop loop, std::int64_t steps) {
    std::atomic<double> operations{0};
    const Seconds begin = now();
    system::parallel_parts(threads, [&](int) { operations.fetch_add(loop(steps)); });
    return operations.load() / (now() - begin).value;
}

class HostMultiplyAddProbe final : public MultiplyAddProbe {
  public:
    HostMultiplyAddProbe(FloatFormat format, int threads);

    [[nodiscard]] double measure(Seconds time, Stream& /*stream*/) override {
        const double steps = time.value * steps_per_second_;
        return rate_of(threads_, loop_, std::max<std::int64_t>(1, std::llround(steps)));
    }

  private:
    int threads_;
    PeakLoop loop_ = nullptr;
    double steps_per_second_ = 1;
};

HostMultiplyAddProbe::HostMultiplyAddProbe(FloatFormat format, int threads) : threads_(threads) {
    double best = 0;
    for (const Loops* loops : compiled_loops()) {
        if (!processor_has(loops->isa))
            continue;
        for (const PeakLoop loop : format == FloatFormat::float32 ? loops->peak.multiply_add_floats
                                                                  : loops->peak.multiply_add) {
            std::int64_t steps = 1000;
            double rate = rate_of(threads, loop, steps);
            const double operations = loop(1);
            steps = std::max<std::int64_t>(steps,
                                           std::llround(trial.value * rate / threads / operations));
            for (int count = 0; count < tries; ++count)
                rate = std::max(rate, rate_of(threads, loop, steps));
            if (rate > best) {
                best = rate;
                loop_ = loop;
                steps_per_second_ = rate / threads / operations;
            }
        }
    }
}

}  // namespace

std::unique_ptr<MultiplyAddProbe> make_host_multiply_add_probe(FloatFormat format, int threads) {
    return std::make_unique<HostMultiplyAddProbe>(format, threads);
}

}  // namespace quartet::device
