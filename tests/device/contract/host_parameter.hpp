#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/contract/contract.hpp"
#include "device/host/host_device.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::device {

/// The host device in one mode; skipped where the processor lacks the instructions of its loops.
inline DeviceParameter host(const std::string& name, const HostSettings& settings) {
    return {name, settings.streams == HostStreams::threaded ? Execution::later : Execution::at_once,
            [settings](Trace& trace) { return make_host_device(settings, trace); },
            [isa = settings.loops->isa] {
                return processor_has(isa) ? std::nullopt
                                          : std::optional("no " + std::string(isa) + " here");
            }};
}

/// The host device by the loops of each instruction set, and with streams of threads.
inline std::vector<DeviceParameter> hosts(int threads) {
    std::vector<DeviceParameter> all;
    for (const Loops* loops : compiled_loops()) {
        const std::string isa(loops->isa);
        all.push_back(host(isa, {.threads = threads, .loops = loops}));
    }
    all.push_back(host("threaded", {.threads = threads, .streams = HostStreams::threaded}));
    return all;
}

}  // namespace quartet::device
