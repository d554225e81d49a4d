#include "system/traffic.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include "system/system_text.hpp"

namespace quartet::system {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t end_of_32_bits = (std::uint64_t{1} << 32U) - 1;
constexpr int type_of_loopback = 772;   // linux/if_arp.h, ARPHRD_LOOPBACK
constexpr int type_of_infiniband = 32;  // ARPHRD_INFINIBAND

std::vector<fs::path> entries(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

// Without links; empty if it is not there.
fs::path real_path(const fs::path& path) {
    std::error_code missing;
    fs::path real = fs::canonical(path, missing);
    return missing ? fs::path() : real;
}

bool is_virtual(const fs::path& device) {
    return real_path(device).native().find("/virtual/") != std::string::npos;
}

std::int64_t number_in(const fs::path& file) {
    return parse_number(first_line(file)).value_or(0);
}

std::unique_ptr<FileDescriptor> open_to_read(const fs::path& file) {
    return std::make_unique<FileDescriptor>(open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

// From the beginning, as the system tells it anew; empty if it does not.
std::string content(const FileDescriptor& file) {
    std::string text;
    std::array<char, 4096> part{};
    while (true) {
        const auto length =
            pread(file.get(), part.data(), part.size(), static_cast<off_t>(text.size()));
        if (length <= 0) {
            return length == 0 ? text : "";
        }
        text.append(part.data(), static_cast<std::size_t>(length));
    }
}

Count count_in(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::uint64_t count = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), count);
    return result.ec == std::errc() ? Count(count) : std::nullopt;
}

// "  eth0: bytes packets errs drop fifo frame compressed multicast bytes ...", received first.
std::map<std::string, Count, std::less<>> network_counts(std::string_view text) {
    constexpr int columns_received = 8;
    std::map<std::string, Count, std::less<>> found;
    while (!text.empty()) {
        auto line = take_until(text, '\n');
        if (line.find(':') == std::string_view::npos) {
            continue;  // a heading
        }
        auto name = take_until(line, ':');
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        for (int column = 0; column < columns_received; ++column) {
            line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
            take_until(line, ' ');
        }
        found.emplace(name, count_in(line));
    }
    return found;
}

bool passes_on(const fs::path& network) {
    return std::ranges::any_of(entries(network), [](const fs::path& entry) {
        return entry.filename().native().starts_with("lower_");
    });
}

std::string driver_of(const fs::path& device) {
    return real_path(device / "device/driver").filename().native();
}

}  // namespace

std::string_view name(LinkKind kind) {
    constexpr std::array<std::string_view, 3> names{"loopback", "network", "fabric"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view name(CountState state) {
    constexpr std::array<std::string_view, 6> names{
        "counted", "wrapped", "stuck", "restarted", "not readable", "refreshed too seldom"};
    return names.at(static_cast<std::size_t>(state));
}

Sent& Sent::operator+=(const Sent& later) {
    bytes += later.bytes;
    state = std::max(state, later.state);
    return *this;
}

Sent sent(const Interface& interface, Count before, Count after, Seconds window) {
    constexpr int refreshes = 10;  // so that those cut off at both ends are few
    const bool is_fabric = interface.kind == LinkKind::fabric;
    const auto bytes = [&](std::uint64_t counts) {
        return static_cast<double>(counts) * interface.unit;
    };
    if (!before || !after) {
        return {0, CountState::unreadable};
    }
    if (window < refreshes * interface.refresh) {
        return {0, CountState::stale};
    }
    if (is_fabric && *after == end_of_32_bits) {
        return {0, CountState::stuck};
    }
    if (*after >= *before) {
        return {bytes(*after - *before), CountState::counted};
    }
    if (!is_fabric && *before <= end_of_32_bits) {
        return {bytes(*after + end_of_32_bits + 1 - *before), CountState::wrapped};
    }
    return {0, CountState::restarted};
}

TrafficCounters::TrafficCounters(fs::path root)
    : root_(std::move(root)), networks_(open_to_read(root_ / "proc/self/net/dev")) {
    find_networks();
    find_adapters();
    find_slingshot();
    find_shared_ports();
}

std::vector<Count> TrafficCounters::read() const {
    const auto networks = network_counts(content(*networks_));
    std::vector<Count> counts;
    for (std::size_t index = 0; index < interfaces_.size(); ++index) {
        if (interfaces_[index].kind == LinkKind::fabric) {
            counts.push_back(count_in(content(*files_[index])));
        } else {
            const auto found = networks.find(interfaces_[index].name);
            counts.push_back(found == networks.end() ? Count() : found->second);
        }
    }
    return counts;
}

void TrafficCounters::add(Interface interface, const fs::path& file) {
    interfaces_.push_back(std::move(interface));
    files_.push_back(file.empty() ? nullptr : open_to_read(file));
}

void TrafficCounters::find_networks() {
    for (const auto& [name, counts] : network_counts(content(*networks_))) {
        const fs::path folder = root_ / "sys/class/net" / name;
        if (passes_on(folder)) {
            continue;
        }
        Interface interface { .name = name };
        if (name == "lo" || number_in(folder / "type") == type_of_loopback) {
            interface.kind = LinkKind::loopback;
        }
        const std::string state = first_line(folder / "operstate");
        interface.up = state == "up" || state == "unknown";  // drivers need not tell
        if (!is_virtual(folder)) {  // whose speed is invented; -1 where a driver does not know it
            interface.gigabits =
                std::max(0.0, static_cast<double>(number_in(folder / "speed")) / 1000);
        }
        add(std::move(interface), {});
    }
}

void TrafficCounters::find_adapters() {
    for (const fs::path& adapter : entries(root_ / "sys/class/infiniband")) {
        if (is_virtual(adapter)) {
            continue;  // RDMA by software, over a network that counts it
        }
        const auto ports = entries(adapter / "ports");
        for (const fs::path& port : ports) {
            find_port(adapter, port, port == ports.front());
        }
    }
}

void TrafficCounters::find_port(const fs::path& adapter, const fs::path& port, bool first) {
    constexpr int bytes_of_word = 4;
    constexpr int bytes_of_flit = 8;
    constexpr Seconds life_of_hardware_counters{0.01};
    Interface interface { .name = adapter.filename(), .kind = LinkKind::fabric };
    if (!first) {
        interface.name += "/" + port.filename().native();
    }
    interface.up = first_line(port / "state").find("ACTIVE") != std::string::npos;
    interface.gigabits = static_cast<double>(number_in(port / "rate"));  // "100 Gb/sec (4X EDR)"
    interface.on_ethernet = first_line(port / "link_layer") == "Ethernet";
    fs::path file = port / "counters/port_xmit_data";
    std::error_code ignored;
    if (fs::exists(file, ignored)) {
        const bool has_flits = driver_of(adapter) == "hfi1" || interface.name.starts_with("hfi1");
        interface.unit = has_flits ? bytes_of_flit : bytes_of_word;
    } else {
        file = port / "hw_counters/tx_bytes";
        interface.refresh = life_of_hardware_counters;
    }
    add(std::move(interface), file);
}

void TrafficCounters::find_slingshot() {
    constexpr int by_default = 1000;  // milliseconds
    const auto interval =
        parse_number(first_line(root_ / "sys/module/cxi_core/parameters/cntr_refresh_interval"));
    const Seconds refresh{static_cast<double>(interval.value_or(by_default)) / 1000};
    for (const fs::path& adapter : entries(root_ / "sys/class/cxi")) {
        add({.name = adapter.filename(), .kind = LinkKind::fabric, .refresh = refresh},
            adapter / "device/telemetry/hni_sts_tx_ok_octets");
    }
}

// Networks over a fabric's port (IP over InfiniBand, hsnN): both count the same bytes. Slingshot's
// own files do not tell how its link is, and those of its network do.
void TrafficCounters::find_shared_ports() {
    for (Interface& network : interfaces_) {
        const fs::path folder = root_ / "sys/class/net" / network.name;
        const fs::path device = real_path(folder / "device");
        if (network.kind != LinkKind::network || device.empty()) {
            continue;
        }
        for (const fs::path& adapter : entries(root_ / "sys/class/cxi")) {
            if (real_path(adapter / "device") == device) {
                network.inside = adapter.filename();
                Interface& fabric =
                    *std::ranges::find(interfaces_, network.inside, &Interface::name);
                fabric.up = network.up;
                fabric.gigabits = network.gigabits;
            }
        }
        if (number_in(folder / "type") != type_of_infiniband) {
            continue;
        }
        const auto port = number_in(folder / "dev_port") + 1;
        for (const fs::path& adapter : entries(root_ / "sys/class/infiniband")) {
            if (real_path(adapter / "device") == device) {
                network.inside = adapter.filename();
                network.inside += port == 1 ? "" : "/" + std::to_string(port);
            }
        }
    }
}

}  // namespace quartet::system
