#include "device/cuda/runtime/cuda_stream.hpp"

#include <sched.h>
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "core/check.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {

void DestroyEvent::operator()(cudaEvent_t event) const {
    ignore(cudaEventDestroy(event));
}

EventHandle make_event_handle(unsigned flags) {
    cudaEvent_t event = nullptr;
    cuda_check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
    return EventHandle(event);
}

void CudaEvent::synchronize() {
    cuda_check(cudaEventSynchronize(handle()), "cudaEventSynchronize");
}

bool CudaEvent::reached() {
    const cudaError_t status = cudaEventQuery(handle());
    ignore(status);
    if (status != cudaErrorNotReady)
        cuda_check(status, "cudaEventQuery");
    return status == cudaSuccess;
}

CudaEvent& as_cuda(Event& event) {
    auto* cuda = dynamic_cast<CudaEvent*>(&event);
    check(cuda != nullptr, "an event of another device");
    return *cuda;
}

namespace {

Seconds between(cudaEvent_t first, cudaEvent_t second) {
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, first, second), "cudaEventElapsedTime");
    return {static_cast<double>(milliseconds) * 1e-3};
}

}  // namespace

CudaStream::CudaStream(Track& track, CudaMemory& memory)
    : track_(track),
      partial_sums_(memory.allocate(bytes_of<double>(most_sum_blocks), MemoryKind::device),
                    most_sum_blocks),
      reference_(make_event_handle(cudaEventDefault)) {
    for (Entry& entry : ring_) {
        entry.stream = this;
        entry.before = make_event_handle(cudaEventDefault);
        entry.after = make_event_handle(cudaEventDefault);
    }
    cuda_check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
    cuda_check(cudaEventRecord(reference_.get(), handle_), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(reference_.get()), "cudaEventSynchronize");
    reference_time_ = now();
}

CudaStream::~CudaStream() {
    ignore(cudaStreamSynchronize(handle_));
    ignore(cudaStreamDestroy(handle_));
}

void CudaStream::enqueue(Phase phase, const char* label, Task task) {
    check(!capturing_, "host work cannot be recorded");
    end_span();
    Entry& entry = push(Kind::host_work, phase, label);
    entry.task = task;
    entry.done = false;
    const cudaError_t status = cudaLaunchHostFunc(handle_, run_host_work, &entry);
    if (status != cudaSuccess) {
        --pushed_;
        cuda_check(status, "cudaLaunchHostFunc");
    }
}

void CudaStream::run_host_work(void* argument) {
    Entry& entry = *static_cast<Entry*>(argument);
    CudaStream& stream = *entry.stream;
    entry.skipped = stream.failed_;
    if (!entry.skipped) {
        entry.began = now();
        try {
            entry.task();
        } catch (...) {
            stream.error_ = std::current_exception();
            stream.failed_ = true;
        }
        entry.ended = now();
    }
    entry.done = true;
}

void CudaStream::record(Event& event) {
    if (capturing_)
        return;
    const cudaEvent_t handle = as_cuda(event).handle();
    end_span();
    cuda_check(cudaEventRecord(handle, handle_), "cudaEventRecord");
}

void CudaStream::wait(Event& event) {
    if (capturing_)
        return;
    const cudaEvent_t handle = as_cuda(event).handle();
    end_span();
    idle_ = false;
    cuda_check(cudaStreamWaitEvent(handle_, handle, 0), "cudaStreamWaitEvent");
}

void CudaStream::synchronize() {
    end_span();
    const cudaError_t status = cudaStreamSynchronize(handle_);
    if (status != cudaSuccess) {
        retired_ = pushed_;  // the state of the queued entries is unknown
        cuda_check(status, "cudaStreamSynchronize");
    }
    while (retired_ < pushed_)
        retire_oldest();
    idle_ = true;
    if (failed_.exchange(false))
        std::rethrow_exception(std::exchange(error_, nullptr));
}

void CudaStream::begin_capture() {
    end_span();
    cuda_check(cudaStreamBeginCapture(handle_, cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCapture");
    capturing_ = true;
}

cudaGraph_t CudaStream::end_capture() {
    capturing_ = false;
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(handle_, &graph), "cudaStreamEndCapture");
    return graph;
}

CudaStream::Entry& CudaStream::push(Kind kind, Phase phase, const char* label) {
    if (pushed_ - retired_ == capacity) {
        await(entry(retired_));
        retire_oldest();
    }
    Entry& pushed = entry(pushed_++);
    pushed.kind = kind;
    pushed.phase = phase;
    pushed.label = label;
    idle_ = false;
    return pushed;
}

void CudaStream::begin_span(Phase phase, const char* label) {
    if (open_ != nullptr && open_->phase == phase)
        return;
    end_span();
    const bool was_idle = idle_;
    Entry& entry = push(Kind::device_work, phase, label);
    // A stream without earlier work begins at once; otherwise the GPU's clock tells.
    entry.began = was_idle ? now() : Seconds{0};
    cuda_check(cudaEventRecord(entry.before.get(), handle_), "cudaEventRecord");
    open_ = &entry;
}

void CudaStream::end_span() {
    if (open_ == nullptr)
        return;
    Entry& entry = *std::exchange(open_, nullptr);
    cuda_check(cudaEventRecord(entry.after.get(), handle_), "cudaEventRecord");
}

// After an error of the GPU, host work may never run, so this also asks for the error.
void CudaStream::await(Entry& entry) {
    if (entry.kind == Kind::device_work) {
        cuda_check(cudaEventSynchronize(entry.after.get()), "cudaEventSynchronize");
        return;
    }
    while (!entry.done) {
        const cudaError_t status = cudaStreamQuery(handle_);
        if (status != cudaErrorNotReady)
            cuda_check(status, "cudaStreamQuery");
        ignore(status);
        sched_yield();
    }
}

void CudaStream::retire_oldest() {
    Entry& oldest = entry(retired_++);
    if (oldest.kind == Kind::device_work)
        retire_device_work(oldest);
    else if (!oldest.skipped)
        track_.add({oldest.phase, oldest.label, oldest.began, oldest.ended});
}

void CudaStream::retire_device_work(Entry& entry) {
    Seconds begin = entry.began;
    if (begin == Seconds{0})
        begin = reference_time_ + between(reference_.get(), entry.before.get());
    Seconds end = begin + between(entry.before.get(), entry.after.get());
    // The two clocks drift apart, but work that is over has not ended in the future.
    const Seconds late = std::max(end - now(), Seconds{0});
    begin = begin - late;
    end = end - late;
    track_.add({entry.phase, entry.label, begin, end});
    // The entry's events will be recorded again: its last one becomes the reference.
    std::swap(reference_, entry.after);
    reference_time_ = end;
}

CudaStream& as_cuda(Stream& stream) {
    auto* cuda = dynamic_cast<CudaStream*>(&stream);
    check(cuda != nullptr, "a stream of another device");
    return *cuda;
}

namespace {

struct DestroyGraph {
    void operator()(cudaGraph_t graph) const { ignore(cudaGraphDestroy(graph)); }
};
struct DestroyExecutable {
    void operator()(cudaGraphExec_t graph) const { ignore(cudaGraphExecDestroy(graph)); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;
using Executable = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyExecutable>;

Graph capture(const Operations& operations, CudaStream& stream) {
    stream.begin_capture();
    try {
        operations(stream);
    } catch (...) {
        try {
            const Graph dropped(stream.end_capture());
        } catch (const Failure&) {  // the error of the operations says more
        }
        throw;
    }
    return Graph(stream.end_capture());
}

class Recording {
  public:
    Recording(const Operations& operations, CudaMemory& memory)
        : track_("recording", 0), stream_(track_, memory) {
        const Graph graph = capture(operations, stream_);
        cudaGraphExec_t executable = nullptr;
        cuda_check(cudaGraphInstantiate(&executable, graph.get(), 0), "cudaGraphInstantiate");
        executable_.reset(executable);
    }

    void launch(Stream& stream) {
        as_cuda(stream).launch(Phase::compute, "recording", [&](cudaStream_t handle) {
            cuda_check(cudaGraphLaunch(executable_.get(), handle), "cudaGraphLaunch");
        });
    }

  private:
    Track track_;
    CudaStream stream_;  ///< the operations use its memory for partial sums
    Executable executable_;
};

}  // namespace

Operations cuda_recording(const Operations& operations, CudaMemory& memory) {
    return [recording = std::make_shared<Recording>(operations, memory)](Stream& stream) {
        recording->launch(stream);
    };
}

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
        sum = sum + between(begin.get(), end.get());
    }
    return sum / times;
}

}  // namespace quartet::device
