#include "fakes/fake_cuda_streams.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "fakes/fake_gpu_memory.hpp"

using quartet::Phase;
using namespace quartet::device;

struct CUevent_st {
    int gpu = FakeGpuNode::current();
    std::unique_ptr<Event> event = make_host_event();
    bool timed = true;
    std::atomic<int> recorded = 0;
    std::atomic<int> reached = 0;
    std::atomic<double> time = 0;
};

namespace {

std::atomic<cudaError_t> broken = cudaSuccess;
std::atomic<cudaError_t> last_error = cudaSuccess;
std::mutex one_host_work_at_a_time;  // as a driver may do
thread_local bool in_host_work = false;

FakeGpuNode& node() {
    return FakeGpuNode::of_process();
}

FakeGpuMemory& memory() {
    return FakeGpuMemory::of_process();
}

}  // namespace

namespace quartet::device {

cudaError_t result(cudaError_t status) {
    if (status == cudaSuccess)
        status = broken;
    if (status == cudaSuccess && in_host_work)
        status = cudaErrorNotPermitted;
    if (status != cudaSuccess)
        set_last_error(status);
    return status;
}

void enqueue_kernel(cudaStream_t stream, KernelWork work) {
    if (stream->capture) {
        stream->capture->graph.nodes.push_back({Phase::compute, "kernel", {}, std::move(work)});
        return;
    }
    if (stream->gpu != FakeGpuNode::current()) {  // the launch's error, as a kernel's always is
        set_last_error(cudaErrorInvalidResourceHandle);
        return;
    }
    count_kernel(stream);
    stream->work().enqueue(Phase::compute, "kernel", [kept = new KernelWork(std::move(work))] {
        const std::unique_ptr<KernelWork> owned(kept);
        if (broken == cudaSuccess)
            (**owned)();
    });
}

void count_kernel(cudaStream_t stream) {
    node().add(stream->gpu, GpuCount::kernels, 1);
}

void set_last_error(cudaError_t status) {
    last_error = status;
    if (status != cudaErrorNotReady)  // which is an answer
        node().add(FakeGpuNode::current(), GpuCount::failed_calls, 1);
}

void break_gpu(cudaError_t status) {
    broken = status;
}

void repair_gpu() {
    broken = cudaSuccess;
    last_error = cudaSuccess;
}

}  // namespace quartet::device

cudaError_t cudaGetLastError() {
    return last_error.exchange(cudaSuccess);
}

const char* cudaGetErrorName(cudaError_t status) {
    return status == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOfTheFake";
}

const char* cudaGetErrorString(cudaError_t) {
    return "the fake's reason";
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return result(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (stream->capture)  // the event is not of the capture
        return result(cudaErrorStreamCaptureIsolation);
    stream->work().wait(*event->event);
    return result(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    *event = new CUevent_st;
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    return result(cudaSuccess);
}

// Not while its stream may still reach it.
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    event->event->synchronize();
    while (event->reached < event->recorded)
        continue;
    delete event;
    return result(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (stream->capture)  // allowed, but nothing of ours can use such an event
        return result(cudaErrorStreamCaptureUnsupported);
    if (event->gpu != stream->gpu)
        return result(cudaErrorInvalidResourceHandle);
    ++event->recorded;
    stream->work().enqueue(Phase::compute, "record", [event] {
        event->time = quartet::now().value;
        ++event->reached;
    });
    stream->work().record(*event->event);
    return result(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    event->event->synchronize();
    return result(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return result(event->event->reached() ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second) {
    for (const cudaEvent_t event : {first, second}) {
        if (!event->timed || event->recorded == 0)
            return result(cudaErrorInvalidResourceHandle);
        if (event->reached < event->recorded)
            return result(cudaErrorNotReady);
    }
    *milliseconds = static_cast<float>(1e3 * (second->time - first->time));
    return result(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
    if (stream->capture)
        return result(cudaErrorStreamCaptureUnsupported);
    stream->work().enqueue(Phase::compute, "host", [function, argument] {
        if (broken != cudaSuccess)
            return;
        const std::lock_guard alone(one_host_work_at_a_time);
        in_host_work = true;
        function(argument);
        in_host_work = false;
    });
    return result(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t size, cudaStream_t stream) {
    if (!memory().is_on_gpu(address))
        return result(cudaErrorInvalidValue);
    fakes(stream).enqueue(Phase::compute, "set",
                          [to = on_cpu(address), value, size] { std::memset(to, value, size); });
    return result(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const bool out = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const bool in = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (memory().is_on_gpu(from) != out || memory().is_on_gpu(to) != in)
        return result(cudaErrorInvalidMemcpyDirection);
    const bool pageable = out && !in && memory().on_cpu(to) != to;
    if (in)
        to = on_cpu(to);
    if (out)
        from = on_cpu(from);
    fakes(stream).enqueue(Phase::compute, "copy",
                          [to, from, size] { std::memcpy(to, from, size); });
    if (pageable)  // the driver's own buffer is between, and the caller empties it
        fakes(stream).synchronize();
    return result(cudaSuccess);
}
