#include "core/check.hpp"
#include "device/cuda/cuda_device.hpp"

namespace quartet::device {

DeviceKind cuda_device() {
    static constexpr const char* reason = "not available in this build: the CUDA device";
    return {.name = "cuda",
            .processor = Processor::accelerator,
            .why_not = [] { return std::optional<std::string>(reason); },
            .visible = [] { return std::vector<std::string>{}; },
            .make = [](const DeviceSettings&, Trace&) -> std::unique_ptr<Device> {
                throw Unavailable(reason);
            }};
}

}  // namespace quartet::device
