#include "device/device_kind.hpp"

#include "core/check.hpp"

namespace quartet::device {

DeviceKind absent_device(std::string name, std::string reason) {
    const auto why_not = [reason = std::move(reason)] { return std::optional(reason); };
    return {.name = std::move(name),
            .processor = Processor::accelerator,
            .why_not = why_not,
            .visible = [] { return std::vector<std::string>{}; },
            .make = [why_not](const DeviceSettings&, Trace&) -> std::unique_ptr<Device> {
                throw Unavailable(*why_not());
            }};
}

}  // namespace quartet::device
