#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::device {

/// The settings from which a device is made.
struct DeviceSettings {
    /// The most threads of one operation: it bounds what operations keep on the stack.
    static constexpr int most_threads = 1024;

    int number = 0;   ///< of the accelerator, among those that this process sees
    int threads = 1;  ///< of the host: they compute, or touch new memory; 1 to most_threads
    std::string isa = "auto";  ///< of the host's loops (host/loops/loops.hpp)
};

/// What computes.
enum class Processor { host, accelerator };

/// One kind of device: its name, whether it can be had here, and how to make one.
struct DeviceKind {
    std::string name;  ///< as on the command line
    Processor processor = Processor::accelerator;
    /// Why it cannot be had here (not in this build, no driver, nothing visible), or nothing.
    /// Local.
    std::function<std::optional<std::string>()> why_not;
    /// PCI addresses ("0000:01:00.0") of the accelerators that this process sees, by number: none
    /// where why_not has a reason, and of the host. Local.
    std::function<std::vector<std::string>()> visible;
    /// Throws Unavailable with why_not's words, or if a library cannot be loaded, and
    /// UsageError if the settings lack something that is the same on all ranks. The
    /// accelerator becomes the calling thread's current one. The trace outlives the device. Local.
    std::function<std::unique_ptr<Device>(const DeviceSettings&, Trace&)> make;
};

/// A kind that this build lacks, for `reason`.
DeviceKind absent_device(std::string name, std::string reason);

/// Which of the accelerators that a rank sees it uses where ranks of a node take them in turn.
/// Launchers that show each rank only its own (CUDA_VISIBLE_DEVICES, Slurm) leave number 0.
constexpr int accelerator_of_rank(int local_rank, std::size_t visible) {
    return static_cast<int>(static_cast<std::size_t>(local_rank) % visible);
}

}  // namespace quartet::device
