#include "bench/report/system_facts.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <map>
#include <string>

#include "system/processor.hpp"
#include "system/system_text.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;
using system::first_line;

// "always [madvise] never": what stands in brackets.
std::string chosen(const fs::path& file) {
    const std::string line = first_line(file);
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']');
    return open < close && close != std::string::npos ? line.substr(open + 1, close - open - 1)
                                                      : line;
}

// By the words of x86's kernel, then by those of Arm's.
Json processor() {
    const std::string text = system::read_text("/proc/cpuinfo").value_or("");
    Json json{{"name", system::processor_name(text)}};
    constexpr std::array<std::pair<const char*, const char*>, 8> keys{
        {{"vendor", "vendor_id"},
         {"family", "cpu family"},
         {"model", "model"},
         {"stepping", "stepping"},
         {"vendor", "CPU implementer"},
         {"family", "CPU architecture"},
         {"model", "CPU part"},
         {"stepping", "CPU revision"}}};
    for (const auto& [key, line] : keys) {
        if (const std::string value = system::value_of(text, line, ':'); !value.empty()) {
            json[key] = value;
        }
    }
    return json;
}

// "meltdown: Not affected; spectre_v2: Mitigation: IBRS, ..", by name.
std::string mitigations() {
    std::map<std::string, std::string> found;
    std::error_code unreadable;
    for (const auto& entry :
         fs::directory_iterator("/sys/devices/system/cpu/vulnerabilities", unreadable)) {
        found[entry.path().filename().string()] = first_line(entry.path());
    }
    std::string text;
    for (const auto& [name, state] : found) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, state);
    }
    return text;
}

std::string libc() {
    std::array<char, 128> text{};
    return confstr(_CS_GNU_LIBC_VERSION, text.data(), text.size()) > 0 ? text.data() : "";
}

}  // namespace

nlohmann::ordered_json system_facts(const Session& session) {
    utsname kernel{};
    uname(&kernel);
    const fs::path pages = "/sys/kernel/mm/transparent_hugepage";
    const fs::path processors = "/sys/devices/system/cpu";
    Json json{{"processor", processor()},
              {"kernel", fmt::format("{} {}", kernel.sysname, kernel.release)},
              {"memory_bytes", session.topology().resources().memory_total.value}};
    const std::array<std::pair<const char*, std::string>, 12> facts{
        {{"os",
          system::value_of(system::read_text("/etc/os-release").value_or(""), "PRETTY_NAME", '=')},
         {"libc", libc()},
         {"transparent_huge_pages", chosen(pages / "enabled")},
         {"transparent_huge_pages_shared", chosen(pages / "shmem_enabled")},
         {"governor", first_line(processors / "cpu0/cpufreq/scaling_governor")},
         {"boost", first_line(processors / "cpufreq/boost")},
         {"smt", first_line(processors / "smt/active")},
         {"numa_balancing", first_line("/proc/sys/kernel/numa_balancing")},
         {"microcode",
          system::value_of(system::read_text("/proc/cpuinfo").value_or(""), "microcode", ':')},
         {"bios_version", first_line("/sys/class/dmi/id/bios_version")},
         {"bios_date", first_line("/sys/class/dmi/id/bios_date")},
         {"mitigations", mitigations()}}};
    for (const auto& [key, value] : facts) {
        if (!value.empty()) {
            json[key] = value;
        }
    }
    return json;
}

}  // namespace quartet::bench
