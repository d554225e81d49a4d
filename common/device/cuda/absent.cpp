#include "device/cuda/cuda_device.hpp"

namespace quartet::device {

std::optional<std::string> why_no_cuda() {
    return "not available in this build: the CUDA device";
}

std::unique_ptr<Device> make_cuda_device(Trace&) {
    throw Unavailable(*why_no_cuda());
}

}  // namespace quartet::device
