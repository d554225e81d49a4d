#include "system/network_counters.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <system_error>
#include <utility>

#include "system/system_text.hpp"

namespace quartet::system {

namespace {

namespace fs = std::filesystem;
using Count = std::optional<std::uint64_t>;

std::vector<fs::path> entries(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

double number_in(const fs::path& file) {
    return static_cast<double>(parse_number(first_line(file)).value_or(0));
}

// Reads the file from its beginning, so that the kernel makes its text anew; empty if that fails.
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
    const auto count = parse_number(text);
    return count ? Count(*count) : std::nullopt;
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

}  // namespace

NetworkCounters::NetworkCounters(fs::path root)
    : root_(std::move(root)),
      networks_(open((root_ / "proc/self/net/dev").c_str(), O_RDONLY | O_CLOEXEC)) {
    find_networks();
    find_fabrics();
}

std::vector<Count> NetworkCounters::sent() const {
    const auto networks = network_counts(content(networks_));
    std::vector<Count> counts;
    for (std::size_t index = 0; index < interfaces_.size(); ++index) {
        const auto network = networks.find(interfaces_[index].name);
        const Count count = files_[index]               ? count_in(content(*files_[index]))
                            : network != networks.end() ? network->second
                                                        : std::nullopt;
        counts.push_back(count ? Count(*count * units_[index]) : std::nullopt);
    }
    return counts;
}

void NetworkCounters::find_networks() {
    for (const auto& [name, counts] : network_counts(content(networks_))) {
        if (name == "lo") {
            continue;
        }
        const fs::path folder = root_ / "sys/class/net" / name;
        const std::string state = first_line(folder / "operstate");
        // A driver need not tell its state; its speed is -1 where it does not know it.
        interfaces_.push_back({.name = name,
                               .kind = "network",
                               .up = state == "up" || state == "unknown",
                               .gigabits = std::max(0.0, number_in(folder / "speed") / 1000)});
        files_.push_back(nullptr);
        units_.push_back(1);
    }
}

void NetworkCounters::find_fabrics() {
    constexpr unsigned word = 4;
    constexpr unsigned flit = 8;  // of Omni-Path
    for (const fs::path& adapter : entries(root_ / "sys/class/infiniband")) {
        const std::string name = adapter.filename();
        for (const fs::path& port : entries(adapter / "ports")) {
            const fs::path words = port / "counters/port_xmit_data";
            std::error_code ignored;
            const bool has_words = fs::exists(words, ignored);
            const std::string number = port.filename();
            add_fabric({.name = number == "1" ? name : fmt::format("{}/{}", name, number),
                        .kind = "fabric",
                        .up = first_line(port / "state").find("ACTIVE") != std::string::npos,
                        .gigabits = number_in(port / "rate")},  // "100 Gb/sec (4X EDR)"
                       has_words ? words : port / "hw_counters/tx_bytes",
                       !has_words                 ? 1
                       : name.starts_with("hfi1") ? flit
                                                  : word);
        }
    }
    for (const fs::path& adapter : entries(root_ / "sys/class/cxi")) {
        add_fabric({.name = adapter.filename(), .kind = "fabric", .up = true},
                   adapter / "device/telemetry/hni_sts_tx_ok_octets", 1);
    }
}

void NetworkCounters::add_fabric(Interface interface, const fs::path& counter, unsigned unit) {
    interfaces_.push_back(std::move(interface));
    files_.push_back(std::make_unique<FileDescriptor>(open(counter.c_str(), O_RDONLY | O_CLOEXEC)));
    units_.push_back(unit);
}

}  // namespace quartet::system
