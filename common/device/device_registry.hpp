#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::device {

/// The settings from which a device is made.
struct DeviceSettings {
    /// The most threads of one operation: it bounds what operations keep on the stack.
    static constexpr int most_threads = 1024;

    int number = 0;   ///< of the accelerator, among all that this process sees
    int threads = 1;  ///< of the host: they compute, or touch new memory; 1 to most_threads
    std::string isa = "auto";  ///< of the host's loops (host/loops/loops.hpp)
};

/// What computes.
enum class Processor { host, accelerator };

/// One kind of device: its name, whether it can be had here, and how to make one.
struct DeviceKind {
    std::string name;  ///< as on the command line
    Processor processor = Processor::accelerator;
    /// Why it is unavailable (not in this build, no driver, nothing visible), or nothing. Local.
    std::function<std::optional<std::string>()> why_not;
    /// PCI addresses ("0000:01:00.0") of the accelerators that this process sees, by number: none
    /// for the host, or if why_not has a reason. Local.
    std::function<std::vector<std::string>()> visible;
    /// Makes the device, which borrows the trace. The accelerator becomes the calling thread's
    /// current one. Throws Unavailable with the reason of why_not, or if this rank lacks a library
    /// or instructions, and UsageError if this build lacks settings.isa. Local.
    std::function<std::unique_ptr<Device>(const DeviceSettings&, Trace&)> make;
};

/// The number of the accelerator that a rank uses if the ranks of a node take them in turn. It is 0
/// if the launcher shows each rank only its own accelerator (CUDA_VISIBLE_DEVICES, Slurm).
constexpr int accelerator_of_rank(int local_rank, std::size_t visible) {
    return static_cast<int>(static_cast<std::size_t>(local_rank) % visible);
}

/// The kinds of devices by name, in the order of the command line's help. Not global: tests add
/// their own.
class DeviceRegistry {
  public:
    /// All kinds of the suite, including kinds that this build lacks (with the reason).
    static DeviceRegistry standard();

    /// Adds a kind, or replaces the kind of the same name.
    void add(DeviceKind kind);

    [[nodiscard]] const std::vector<DeviceKind>& kinds() const { return kinds_; }
    /// Kinds of accelerators: what `auto` tries in this order, before the host.
    [[nodiscard]] std::vector<DeviceKind> accelerators() const;
    /// The first kind that is the host. Throws Failure if there is none.
    [[nodiscard]] const DeviceKind& host() const;
    /// Throws UsageError for an unknown name.
    [[nodiscard]] const DeviceKind& find(std::string_view name) const;
    /// "auto", "host", "cuda", for help and errors.
    [[nodiscard]] std::vector<std::string> choices() const;
    /// Why no kind of accelerator is available here; nothing if one is. Local.
    [[nodiscard]] std::optional<std::string> why_no_accelerator() const;

  private:
    std::vector<DeviceKind> kinds_;
};

}  // namespace quartet::device
