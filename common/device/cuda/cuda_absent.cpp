#include "device/cuda/cuda_device.hpp"

namespace quartet::device {

DeviceKind cuda_device() {
    return absent_device("cuda", "not available in this build: the CUDA device");
}

}  // namespace quartet::device
