#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/file.hpp"

namespace quartet::system {

/// A network interface, or a port of a fabric's adapter.
struct Interface {
    std::string name;  ///< "eth0", "mlx5_0"; "mlx5_0/2" for a further port
    /// "network" (TCP/IP) or "fabric" (past it: InfiniBand, Omni-Path, RoCE, EFA, Slingshot).
    std::string_view kind = "network";
    bool up = false;
    double gigabits = 0;  ///< per second; 0 if the system does not tell
};

/// The counters of a machine's interfaces to other machines.
class NetworkCounters {
  public:
    /// `root` is the folder of proc/ and sys/; other than "/" in tests. Opens their files once.
    explicit NetworkCounters(std::filesystem::path root = "/");

    [[nodiscard]] const std::vector<Interface>& interfaces() const { return interfaces_; }
    /// The bytes that each interface has sent since boot, in the same order; nothing where that
    /// cannot be read.
    [[nodiscard]] std::vector<std::optional<std::uint64_t>> sent() const;

  private:
    void find_networks();
    void find_fabrics();
    void add_fabric(Interface interface, const std::filesystem::path& counter, unsigned unit);

    std::filesystem::path root_;
    FileDescriptor networks_;
    std::vector<Interface> interfaces_;
    std::vector<std::unique_ptr<FileDescriptor>> files_;  ///< of fabrics; null for networks
    std::vector<unsigned> units_;                         ///< bytes per count
};

}  // namespace quartet::system
