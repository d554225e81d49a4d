#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.hpp"
#include "device/device.hpp"
#include "device/model/machine_rates.hpp"

namespace quartet::device {

/// What a device is made from.
struct DeviceSettings {
    /// The most threads of one operation: it bounds what operations keep on the stack.
    static constexpr int most_threads = 1024;

    int number = 0;   ///< of the accelerator, among those that this process sees
    int threads = 1;  ///< of the host: they compute, or touch new memory; 1 to most_threads
    std::optional<MachineRates> rates{};  ///< of the machine that a model is of
};

/// What computes.
enum class Processor { host, accelerator };

/// One kind of device: its name, whether it can be had here, and how to make one.
struct DeviceKind {
    std::string name;  ///< as on the command line
    Processor processor = Processor::accelerator;
    Results results = Results::computed;
    /// Why it cannot be had here (not in this build, no driver, nothing visible), or nothing.
    /// Local.
    std::function<std::optional<std::string>()> why_not;
    /// PCI addresses ("0000:01:00.0") of the accelerators that this process sees, by number: none
    /// where why_not has a reason, and of the host. Local.
    std::function<std::vector<std::string>()> visible;
    /// Throws Unavailable with why_not's words, or where a library cannot be loaded, and
    /// UsageError where the settings lack something that is the same on all ranks. The
    /// accelerator becomes the calling thread's current one. The trace outlives the device. Local.
    std::function<std::unique_ptr<Device>(const DeviceSettings&, Trace&)> make;
};

/// The kinds of devices by name, in the order of the command line's help. Not global: tests add
/// their own.
class DeviceRegistry {
  public:
    /// All kinds of the suite, those that this build lacks included (with the reason).
    static DeviceRegistry standard();

    /// Adds a kind or replaces the one of its name.
    void add(DeviceKind kind);

    [[nodiscard]] const std::vector<DeviceKind>& kinds() const { return kinds_; }
    /// Kinds of accelerators: what `auto` tries in this order, before the host.
    [[nodiscard]] std::vector<DeviceKind> accelerators() const;
    /// The first kind that is the host. Throws Failure where there is none.
    [[nodiscard]] const DeviceKind& host() const;
    /// Throws UsageError for an unknown name.
    [[nodiscard]] const DeviceKind& find(std::string_view name) const;
    /// "auto", "host", "cuda", "model", for help and errors.
    [[nodiscard]] std::vector<std::string> choices() const;
    /// Why no kind of accelerator can be had here, or nothing where one can. Local.
    [[nodiscard]] std::optional<std::string> why_no_accelerator() const;

  private:
    std::vector<DeviceKind> kinds_;
};

/// A kind that this build lacks, for `reason`.
DeviceKind absent_device(std::string name, std::string reason);

/// Which of the accelerators that a rank sees it uses where ranks of a node take them in turn.
/// Launchers that show each rank only its own (CUDA_VISIBLE_DEVICES, Slurm) leave number 0.
constexpr int accelerator_of_rank(int local_rank, std::size_t visible) {
    return static_cast<int>(static_cast<std::size_t>(local_rank) % visible);
}

/// The kinds of the suite; each in the folder of its name.
DeviceKind host_device();
DeviceKind cuda_device();
DeviceKind model_device();

}  // namespace quartet::device
