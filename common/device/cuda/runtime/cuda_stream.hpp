#pragma once

#include <cuda_runtime.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>

#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

struct DestroyEvent {
    void operator()(cudaEvent_t event) const;
};
using EventHandle = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

/// An event of the current GPU. `flags` as cudaEventCreateWithFlags takes them.
EventHandle make_event_handle(unsigned flags);

/// A CUDA event, which by itself behaves as the interface says.
class CudaEvent final : public Event {
  public:
    void synchronize() override;
    [[nodiscard]] bool reached() override;
    [[nodiscard]] cudaEvent_t handle() const { return handle_.get(); }

  private:
    EventHandle handle_ = make_event_handle(cudaEventDisableTiming);
};

/// Throws Failure for an event of another device.
CudaEvent& as_cuda(Event& event);

/// A CUDA stream, which orders its own work only. Host work runs on a thread of the driver
/// (cudaLaunchHostFunc), which may serve several streams, one task after another: a task must not
/// wait for a task of another stream, and must not call CUDA.
///
/// Enqueued work has an entry in a ring that is made with the stream, so that nothing allocates
/// later; a full ring makes the caller wait for its oldest entry. Only the main thread writes to
/// the track: when it retires entries, in their order.
///
/// Device work is timed by a pair of events. If the track keeps spans, each operation has its own
/// pair; otherwise successive operations of the same phase share a pair, so that short kernels can
/// still overlap.
///
/// After host work has failed, later host work is skipped. So is device work that the main thread
/// enqueues after it sees the failure; earlier device work still runs.
class CudaStream final : public Stream {
  public:
    CudaStream(Track& track, CudaMemory& memory);
    ~CudaStream() override;
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;

    void enqueue(Phase phase, const char* label, Task task) override;
    void record(Event& event) override;
    void wait(Event& event) override;
    void synchronize() override;
    Track& track() override { return track_; }

    /// Lets `work(handle)` enqueue an operation on this stream. Throws Failure if a kernel of it
    /// could not be launched.
    template <typename Work>
    void launch(Phase phase, const char* label, Work work) {
        if (failed_)
            return;
        ++launches_;
        if (capturing_) {
            work(handle_);
            check_launch(label);
            return;
        }
        begin_span(phase, label);
        work(handle_);
        check_launch(label);
        if (track_.keeps_spans())
            end_span();
    }

    /// From here to end_capture(), device work is collected instead of being done. It does not
    /// appear on the track, host work is refused, and events are ignored.
    void begin_capture();
    /// The graph of what has been captured; the caller destroys it.
    [[nodiscard]] cudaGraph_t end_capture();
    [[nodiscard]] bool captures() const { return capturing_; }

    /// Calls of launch() so far. Each takes at most one entry of the ring, which has `capacity`.
    [[nodiscard]] std::int64_t launches() const { return launches_; }
    static constexpr std::uint64_t capacity = 256;

    /// Memory for the partial sums of one operation: most_sum_blocks elements.
    [[nodiscard]] double* partial_sums() { return partial_sums_.view().data(); }

  private:
    enum class Kind { host_work, device_work };

    struct Entry {
        Kind kind = Kind::host_work;
        Phase phase = Phase::compute;
        const char* label = nullptr;
        // Host work, done by a thread of the driver.
        CudaStream* stream = nullptr;
        Task task;
        Seconds began;
        Seconds ended;
        bool skipped = false;
        std::atomic<bool> done = false;
        // Device work.
        EventHandle before;
        EventHandle after;
    };
    static void run_host_work(void* entry);

    Entry& push(Kind kind, Phase phase, const char* label);
    void begin_span(Phase phase, const char* label);
    void end_span();
    void await(Entry& entry);
    void retire_oldest();
    void retire_device_work(Entry& entry);
    [[nodiscard]] Entry& entry(std::uint64_t number) {
        return ring_[static_cast<std::size_t>(number % capacity)];
    }

    Track& track_;
    cudaStream_t handle_ = nullptr;
    Buffer<double> partial_sums_;
    std::array<Entry, capacity> ring_;
    std::int64_t launches_ = 0;
    std::uint64_t pushed_ = 0;  // entries [retired_, pushed_) are queued
    std::uint64_t retired_ = 0;
    Entry* open_ = nullptr;  // device work that the next operation may join
    // An event on the GPU's clock whose time on ours is known.
    EventHandle reference_;
    Seconds reference_time_;
    bool capturing_ = false;
    bool idle_ = true;  // nothing enqueued since the last synchronize()
    std::atomic<bool> failed_ = false;
    std::exception_ptr error_;  // written by the driver's thread before failed_
};

/// Throws Failure for a stream of another device.
CudaStream& as_cuda(Stream& stream);

/// The operations as a CUDA graph, which is captured and made ready at once.
Operations cuda_recording(const Operations& operations, CudaMemory& memory);

/// The mean time of `times` calls of `enqueue` in a row, by the GPU's clock, after one call that is
/// not timed. Host work holds the stream until all timed work is enqueued, in groups that fit the
/// stream's ring and the driver's queue. If an operation launches more than 14 kernels, a group may
/// not fit: it then holds the stream for 0.25 s, and the time contains launches. Throws what
/// `enqueue` and the work throw.
Seconds gated_time(int times, const std::function<void()>& enqueue, CudaStream& stream);

}  // namespace quartet::device
