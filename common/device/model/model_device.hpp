#pragma once

#include <memory>

#include "core/trace.hpp"
#include "device/device_kind.hpp"

namespace quartet::device {

/// A machine that is only described: operations compute nothing and take as long as its rates say,
/// one after another on each stream. The time is simulated if ranks are simulated, else real.
/// Memory is the host's. `trace` outlives it.
std::unique_ptr<Device> make_model_device(MachineRates rates, Trace& trace);

DeviceKind model_device();

}  // namespace quartet::device
