#include "device/cuda/runtime/cuda_recording.hpp"

#include <memory>

#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"

namespace quartet::device {

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
        } catch (const Failure&) {  // what the operations have thrown says more
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
    CudaStream stream_;  ///< the operations have its memory for partial sums
    Executable executable_;
};

}  // namespace

Operations cuda_recording(const Operations& operations, CudaMemory& memory) {
    return [recording = std::make_shared<Recording>(operations, memory)](Stream& stream) {
        recording->launch(stream);
    };
}

}  // namespace quartet::device
