#pragma once

#include <string>

#include "device/contract/contract.hpp"
#include "device/host/host_device.hpp"

namespace quartet::device {

/// The host device in one mode.
inline DeviceParameter host(const std::string& name, const HostSettings& settings) {
    return {name, settings.streams == HostStreams::threaded ? Execution::later : Execution::at_once,
            [settings](Trace& trace) { return make_host_device(settings, trace); },
            [] { return std::nullopt; }};
}

}  // namespace quartet::device
