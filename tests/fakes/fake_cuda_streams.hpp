#pragma once

#include <memory>
#include <vector>

#include "core/trace.hpp"
#include "device/host/runtime/host_stream.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_node.hpp"

// What only the fake's own files know of its streams.

struct CUgraph_st {
    struct Node {
        quartet::Phase phase = quartet::Phase::compute;
        const char* label = nullptr;
        quartet::device::Task task;
        quartet::device::KernelWork kernel;  ///< in place of the task
    };
    std::vector<Node> nodes;
};

struct CUgraphExec_st {
    CUgraph_st graph;
};

namespace quartet::device {

/// Collects work in place of doing it.
class CapturingStream final : public Stream {
  public:
    void enqueue(Phase phase, const char* label, Task task) override {
        graph.nodes.push_back({phase, label, task, nullptr});
    }
    void record(Event&) override {}
    void wait(Event&) override {}
    void synchronize() override {}
    Track& track() override { return track_; }

    CUgraph_st graph;
    bool lost = false;  ///< by a call that may not be made meanwhile

  private:
    Track track_{"capture", 0};
};

/// Does the work of a stream, or of all.
struct HardwareQueue {
    Track track{"fake", 0};
    std::unique_ptr<Stream> work = make_host_stream(HostStreams::threaded, track);
};

/// A new stream's own, but with CUDA_DEVICE_MAX_CONNECTIONS=1 the one that all streams share.
std::shared_ptr<HardwareQueue> queue_of_new_stream();

}  // namespace quartet::device

struct CUstream_st {
    int gpu = quartet::device::FakeGpuNode::current();
    std::shared_ptr<quartet::device::HardwareQueue> queue = quartet::device::queue_of_new_stream();
    std::unique_ptr<quartet::device::CapturingStream> capture;

    quartet::device::Stream& work() { return *queue->work; }
};
