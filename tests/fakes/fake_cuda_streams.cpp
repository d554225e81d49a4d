#include "fakes/fake_cuda_streams.hpp"

#include <set>
#include <utility>

#include "core/environment.hpp"

using namespace quartet::device;

namespace {

thread_local CUstream_st* captures = nullptr;  // the stream, in the mode that is used

std::set<cudaStream_t>& streams() {
    static auto* all = new std::set<cudaStream_t>;  // memory is freed until the process ends
    return *all;
}

}  // namespace

namespace quartet::device {

std::shared_ptr<HardwareQueue> queue_of_new_stream() {
    static std::weak_ptr<HardwareQueue> shared;
    auto queue = shared.lock();
    if (quartet::Environment().get("CUDA_DEVICE_MAX_CONNECTIONS") != "1")
        return std::make_shared<HardwareQueue>();
    if (!queue)
        shared = queue = std::make_shared<HardwareQueue>();
    return queue;
}

Stream& fakes(cudaStream_t stream) {
    return stream->capture ? *stream->capture : stream->work();
}

cudaError_t refused_in_capture() {
    if (captures == nullptr)
        return cudaSuccess;
    captures->capture->lost = true;
    return cudaErrorStreamCaptureUnsupported;
}

void finish_all_streams() {
    for (const cudaStream_t stream : streams())
        stream->work().synchronize();
}

}  // namespace quartet::device

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = new CUstream_st;
    streams().insert(*stream);
    return result(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    streams().erase(stream);
    delete stream;
    return result(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (stream->capture)
        return result(cudaErrorStreamCaptureUnsupported);
    stream->work().synchronize();
    return result(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t) {
    return result(cudaErrorNotReady);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    if (captures != nullptr || mode != cudaStreamCaptureModeThreadLocal)
        return result(cudaErrorIllegalState);
    stream->capture = std::make_unique<CapturingStream>();
    captures = stream;
    return result(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    if (!stream->capture)
        return result(cudaErrorIllegalState);
    const std::unique_ptr<CapturingStream> ended = std::move(stream->capture);
    captures = nullptr;
    *graph = ended->lost ? nullptr : new CUgraph_st(std::move(ended->graph));
    return result(ended->lost ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
    if (flags != 0)
        return result(cudaErrorInvalidValue);
    *executable = new CUgraphExec_st{*graph};
    return result(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    for (const CUgraph_st::Node& node : executable->graph.nodes)
        if (node.kernel)
            enqueue_kernel(stream, node.kernel);
        else
            fakes(stream).enqueue(node.phase, node.label, node.task);
    return result(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return result(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    delete executable;
    return result(cudaSuccess);
}
