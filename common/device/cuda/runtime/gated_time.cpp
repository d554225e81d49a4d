#include "device/cuda/runtime/gated_time.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

namespace quartet::device {

namespace {

// If the stream's ring were full, or the driver's queue, which holds about a thousand kernels and
// events, enqueueing would block, and the gate would open late. An operation takes one entry of the
// ring, two events and its kernels: 60 operations of up to 14 kernels fit.
constexpr std::int64_t most_operations_behind_a_gate = 60;
constexpr std::int64_t most_calls_behind_a_gate = 32;

// Far longer than enqueueing takes, unless a launch waits for an idle GPU: a debugger, a sanitizer
// and CUDA_LAUNCH_BLOCKING make it wait, and the first launch of a kernel may, as it loads the
// kernel. The time then contains the launches, which is better than waiting forever.
constexpr Seconds patience{0.25};

/// Host work that ends at open(), or after `patience`; later work of the stream waits for it.
class Gate {
  public:
    explicit Gate(CudaStream& stream) : stream_(stream) {
        stream_.enqueue(Phase::wait, "gate", [open = &open_, end = now() + patience] {
            while (!*open && now() < end)
                sched_yield();
        });
    }
    // The host work must not outlive open_, which it reads.
    ~Gate() {
        open();
        try {
            stream_.synchronize();
        } catch (...) {  // an exception is on its way already
        }
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    void open() { open_ = true; }

  private:
    CudaStream& stream_;
    std::atomic<bool> open_ = false;
};

// How many calls, of `operations` each, are held at once; at least one.
int calls_behind_a_gate(std::int64_t operations) {
    return static_cast<int>(
        std::clamp(most_operations_behind_a_gate / std::max<std::int64_t>(operations, 1),
                   std::int64_t{1}, most_calls_behind_a_gate));
}

void record(const EventHandle& event, CudaStream& stream) {
    stream.launch(Phase::compute, "time", [&](cudaStream_t handle) {
        cuda_check(cudaEventRecord(event.get(), handle), "cudaEventRecord");
    });
}

}  // namespace

Seconds gated_time(int times, const std::function<void()>& enqueue, CudaStream& stream) {
    const EventHandle begin = make_event_handle(cudaEventDefault);
    const EventHandle end = make_event_handle(cudaEventDefault);
    const std::int64_t before = stream.launches();
    enqueue();  // makes libraries load the kernels that it needs
    const int at_once = calls_behind_a_gate(stream.launches() - before);
    Seconds sum;
    for (int left = times; left > 0; left -= at_once) {
        stream.synchronize();
        Gate gate(stream);
        record(begin, stream);
        for (int call = 0; call < std::min(left, at_once); ++call)
            enqueue();
        record(end, stream);
        gate.open();
        stream.synchronize();
        float milliseconds = 0;
        cuda_check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()),
                   "cudaEventElapsedTime");
        sum = sum + Seconds{static_cast<double>(milliseconds) * 1e-3};
    }
    return sum / times;
}

}  // namespace quartet::device
