#include "device/device_registry.hpp"

#include <algorithm>
#include <iterator>

#include "core/check.hpp"
#include "core/nearest_word.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/host/host_device.hpp"

namespace quartet::device {

DeviceRegistry DeviceRegistry::standard() {
    DeviceRegistry registry;
    registry.add(host_device());
    registry.add(cuda_device());
    return registry;
}

void DeviceRegistry::add(DeviceKind kind) {
    const auto same = std::ranges::find(kinds_, kind.name, &DeviceKind::name);
    if (same == kinds_.end()) {
        kinds_.push_back(std::move(kind));
    } else {
        *same = std::move(kind);
    }
}

std::vector<DeviceKind> DeviceRegistry::accelerators() const {
    std::vector<DeviceKind> found;
    std::ranges::copy_if(kinds_, std::back_inserter(found), [](const DeviceKind& kind) {
        return kind.processor == Processor::accelerator;
    });
    return found;
}

const DeviceKind& DeviceRegistry::host() const {
    const auto kind = std::ranges::find(kinds_, Processor::host, &DeviceKind::processor);
    check(kind != kinds_.end(), "no device of the host");
    return *kind;
}

const DeviceKind& DeviceRegistry::find(std::string_view name) const {
    const auto kind = std::ranges::find(kinds_, name, &DeviceKind::name);
    if (kind == kinds_.end()) {
        throw UsageError(not_one_of(name, choices()));
    }
    return *kind;
}

std::vector<std::string> DeviceRegistry::choices() const {
    std::vector<std::string> words{"auto"};
    for (const DeviceKind& kind : kinds_) {
        words.push_back(kind.name);
    }
    return words;
}

std::optional<std::string> DeviceRegistry::why_no_accelerator() const {
    std::string reasons;
    for (const DeviceKind& kind : accelerators()) {
        const auto reason = kind.why_not();
        if (!reason) {
            return std::nullopt;
        }
        reasons += (reasons.empty() ? "" : "; ") + *reason;
    }
    return reasons;
}

}  // namespace quartet::device
