#include "device/contract/contract.hpp"
#include "device/cuda/cuda_device.hpp"

namespace quartet::device {

std::vector<DeviceParameter> contract_devices() {
    return {{"cuda", Execution::later, [](Trace& trace) { return make_cuda_device({}, trace); },
             [] { return why_no_cuda(); }}};
}

}  // namespace quartet::device
