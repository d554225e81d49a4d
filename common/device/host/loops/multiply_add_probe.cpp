#include "device/host/loops/multiply_add_probe.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "device/host/loops/loops.hpp"
#include "device/host/loops/processor.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr Seconds trial{0.001};
constexpr int tries = 3;

double rate_of(int threads, double (*loop)(std::int64_t), std::int64_t steps) {
    std::atomic<double> operations{0};
    const Seconds begin = now();
    system::parallel_parts(threads, [&](int) { operations.fetch_add(loop(steps)); });
    return operations.load() / (now() - begin).value;
}

}  // namespace

MultiplyAddProbe::MultiplyAddProbe(int threads) : threads_(threads) {
    double best = 0;
    for (const Loops* loops : compiled_loops()) {
        if (!processor_has(loops->isa))
            continue;
        for (const auto loop : loops->peak.multiply_add) {
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

double MultiplyAddProbe::measure(Seconds time) const {
    return rate_of(threads_, loop_,
                   std::max<std::int64_t>(1, std::llround(time.value * steps_per_second_)));
}

}  // namespace quartet::device
