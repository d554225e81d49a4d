#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_kind.hpp"

namespace quartet::device {

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
