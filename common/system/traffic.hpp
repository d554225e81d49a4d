#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/file.hpp"
#include "core/units.hpp"

namespace quartet::system {

/// Which way out of the memory of a machine.
enum class LinkKind {
    loopback,  ///< TCP/IP between processes of the machine
    network,   ///< TCP/IP to other machines
    fabric,    ///< past TCP/IP: InfiniBand, Omni-Path, RoCE, EFA, Slingshot
};
/// "loopback", "network", "fabric".
std::string_view name(LinkKind kind);

/// A network interface, or a port of a fabric's adapter. Those that pass all their bytes on to
/// others (bonds, bridges, VLANs) are none: their members count.
struct Interface {
    std::string name;  ///< "eth0", "mlx5_0"; "mlx5_0/2" for a further port
    LinkKind kind = LinkKind::network;
    bool up = false;
    double gigabits = 0;  ///< per second; 0 if the system does not tell
    /// Of a fabric: whether its link is Ethernet's. Nothing then tells if RoCE is set up on it.
    bool on_ethernet = false;
    std::string inside{};  ///< of a network: the fabric that counts its bytes, too; else empty
    int unit = 1;          ///< bytes of one count
    Seconds refresh{};     ///< the driver reads its counts anew so seldom; 0: at each reading
};

/// What was sent since boot, in counts; nothing where it cannot be read.
using Count = std::optional<std::uint64_t>;

/// How a difference of counts is to be taken.
enum class CountState {
    counted,
    wrapped,     ///< a counter of 32 bits began anew: at least so many
    stuck,       ///< a counter of 32 bits is at its end, and says nothing
    restarted,   ///< it went back otherwise
    unreadable,  ///< before or after
    stale,       ///< the driver refreshes it too seldom for so short a time
};
/// "counted", "wrapped", "stuck", "restarted", "not readable", "refreshed too seldom".
std::string_view name(CountState state);

/// What an interface sent.
struct Sent {
    double bytes = 0;
    CountState state = CountState::counted;

    /// Both one after the other. The graver state stays.
    Sent& operator+=(const Sent& later);
};
/// Between two counts of one interface, `window` apart.
Sent sent(const Interface& interface, Count before, Count after, Seconds window);

/// Counts the bytes that all processes of this machine send over each of its interfaces. Files stay
/// open, so that a reading takes a few system calls.
///
/// - Networks: proc/self/net/dev, of the process's own network namespace; sys/class/net says what
///   they are. 64 bits, 32 in some drivers, where they wrap.
/// - InfiniBand and RoCE: port_xmit_data (Linux, Documentation/ABI/stable/sysfs-class-infiniband)
///   in units of 4 bytes. Adapters without the extended counters have 32 bits, and stop at the end
///   (IBTA PortCounters). RoCE's count no TCP (mlx5: mad.c).
/// - Omni-Path: the same file, in flits of 8 bytes (hfi1: pma_get_opa_port_dctrs in mad.c passes
///   C_DC_XMIT_FLITS on as they are).
/// - EFA: hw_counters/tx_bytes (efa_verbs.c), which the kernel keeps for 10 ms.
/// - Slingshot: telemetry/hni_sts_tx_ok_octets as "count@time" (libfabric, cxip_telemetry.c), TCP
///   over hsnN included, refreshed every cntr_refresh_interval milliseconds of its driver.
class TrafficCounters {
  public:
    /// Finds the interfaces. `root` is the folder of proc/ and sys/.
    explicit TrafficCounters(std::filesystem::path root = "/");

    [[nodiscard]] const std::vector<Interface>& interfaces() const { return interfaces_; }
    /// Of each of them, now.
    [[nodiscard]] std::vector<Count> read() const;

  private:
    void add(Interface interface, const std::filesystem::path& file);
    void find_networks();
    void find_adapters();
    void find_port(const std::filesystem::path& adapter, const std::filesystem::path& port,
                   bool first);
    void find_slingshot();
    void find_shared_ports();

    std::filesystem::path root_;
    std::vector<Interface> interfaces_;
    std::vector<std::unique_ptr<FileDescriptor>> files_;  ///< by interface; none of networks
    std::unique_ptr<FileDescriptor> networks_;
};

}  // namespace quartet::system
