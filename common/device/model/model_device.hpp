#pragma once

#include <memory>

#include "core/trace.hpp"
#include "device/device_kind.hpp"

namespace quartet::device {

/// A machine that is described and not there: operations compute nothing and take as long as its
/// rates say, on one stream after the other. Where ranks are simulated that is simulated time, else
/// real time. Memory is the host's. `trace` outlives it.
std::unique_ptr<Device> make_model_device(MachineRates rates, Trace& trace);

DeviceKind model_device();

}  // namespace quartet::device
