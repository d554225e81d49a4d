#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

#include "device/stream.hpp"

namespace quartet::device {

struct DestroyEvent {
    void operator()(cudaEvent_t event) const;
};
using EventHandle = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

/// An event of the current GPU. `flags` as cudaEventCreateWithFlags takes them.
EventHandle make_event_handle(unsigned flags);

/// An event of CUDA streams, which has the meaning of the interface by itself.
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

}  // namespace quartet::device
