#include "device/cuda/runtime/cuda_event.hpp"

#include "core/check.hpp"
#include "device/cuda/runtime/cuda_check.hpp"

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

}  // namespace quartet::device
