#include "bench/report/document.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>

#include "bench/results/version.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "system/processor.hpp"
#include "system/system_text.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;
using system::first_line;

constexpr int result_schema_version = 2;
constexpr int benchmark_schema_version = 1;  // Google Benchmark's "json_schema_version"

// ISO 8601 with the offset, "2026-01-31T12:34:56+01:00".
std::string date(std::time_t time) {
    std::tm local{};
    localtime_r(&time, &local);
    std::string text = fmt::format("{:%Y-%m-%dT%H:%M:%S%z}", local);
    if (text.size() > 2 && text[text.size() - 3] != ':') {
        text.insert(text.size() - 2, 1, ':');
    }
    return text;
}

// The number at the beginning of a line from /sys or /proc; 0 if there is none.
int leading_number(std::string_view text) {
    return static_cast<int>(system::parse_number(text).value_or(0));
}

Json caches() {
    Json all = Json::array();
    for (const system::Cache& cache : system::caches()) {
        all.push_back({{"type", cache.type},
                       {"level", cache.level},
                       {"size", cache.size.value},
                       {"num_sharing", cache.cores}});
    }
    return all;
}

// 0 if neither file tells it, as on Arm without frequency scaling.
int megahertz() {
    const std::string kilohertz =
        first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (!kilohertz.empty()) {
        return leading_number(kilohertz) / 1000;
    }
    const std::string text = system::read_text("/proc/cpuinfo").value_or("");
    return leading_number(system::value_of(text, "cpu MHz", ':'));
}

bool scales_frequency() {
    const std::string governor =
        first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    return !governor.empty() && governor != "performance";
}

Json placements(const Session& session) {
    Json all = Json::array();
    for (int rank = 0; rank < session.world().size(); ++rank) {
        const comm::Placement& place = session.topology().of(rank);
        all.push_back({{"rank", rank},
                       {"role", role_of(session, rank)},
                       {"host", place.host},
                       {"node", place.node},
                       {"local_rank", place.local_rank},
                       {"cpus", comm::format_cpus(place.cpus)},
                       {"cores", place.cores},
                       {"numa_nodes", place.numa_nodes}});
        if (place.quota) {
            all.back()["quota"] = *place.quota;
        }
    }
    return all;
}

// The word in brackets in "always [madvise] never"; the whole line if there are none.
std::string chosen(const fs::path& file) {
    const std::string line = first_line(file);
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']');
    return open < close && close != std::string::npos ? line.substr(open + 1, close - open - 1)
                                                      : line;
}

// Linux names these lines differently on x86 and on Arm; the lists are in this order.
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

// What the system does not tell is left out.
Json system_facts(const Session& session) {
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

Json build() {
    return {{"compiler", compiler()},
            {"flags", compiler_flags()},
            {"type", build_type()},
            {"cblas", cblas()}};
}

Json with_prefix(const std::map<std::string, std::string>& variables, std::string_view prefix) {
    Json found = Json::object();
    for (const auto& [name, value] : variables) {
        if (name.starts_with(prefix)) {
            found[name] = value;
        }
    }
    return found;
}

Json quartet_object(Session& session,
                    const std::vector<std::pair<std::string, std::string>>& options,
                    const Measured& measured, Completion completion,
                    std::span<const std::string> warnings) {
    Json resolved = Json::object();
    for (const auto& [flag, value] : options) {
        resolved[flag.substr(2)] = value;
    }
    resolved["threads"] = std::to_string(session.threads());
    for (const auto& [option, value] : session.record().resolved) {
        resolved[option] = value;
    }
    const auto& variables = session.record().environment.seen();
    Json object{{"schema_version", result_schema_version},
                {"version", version()},
                {"commit", commit()},
                {"program", session.description().name},
                {"build", build()},
                {"options", resolved},
                {"ranks", session.world().size()},
                {"nodes", session.topology().nodes()},
                {"workers", ranks_with(session, comm::Role::worker)},
                {"reducers", ranks_with(session, comm::Role::reducer)},
                {"threads", session.threads()},
                {"placement", placements(session)},
                {"device", session.device().name()},
                {"device_description", session.device().description()},
                {"gpus", session.gpus().json()},
                {"why_no_gpu", session.devices().why_no_accelerator().value_or("")},
                {"mpi", comm::MpiSession::library_version()},
                {"mpi_settings", comm::mpi_settings()},
                {"system", system_facts(session)},
                {"rounds", measured.rounds},
                {"stopped", measured.stopped},
                {"complete", completion == Completion::complete},
                {"slurm", with_prefix(variables, "SLURM_")},
                {"environment", variables},
                {"warnings", warnings}};
    if (!session.isa().empty()) {
        object["isa"] = session.isa();
    }
    return object;
}

}  // namespace

nlohmann::ordered_json context(Session& session,
                               const std::vector<std::pair<std::string, std::string>>& options,
                               const Measured& measured, Completion completion,
                               std::span<const std::string> warnings) {
    std::error_code ignored;
    return {{"date", date(session.record().started)},
            {"host_name", session.topology().of(0).host},
            {"executable", fs::read_symlink("/proc/self/exe", ignored).string()},
            {"num_cpus", sysconf(_SC_NPROCESSORS_ONLN)},
            {"mhz_per_cpu", megahertz()},
            {"cpu_scaling_enabled", scales_frequency()},
            {"caches", caches()},
            {"load_avg", session.record().load_average},
            {"library_version", fmt::format("quartet {}", version())},
            {"library_build_type", build_type() == "Debug" ? "debug" : "release"},
            {"json_schema_version", benchmark_schema_version},
            {"quartet", quartet_object(session, options, measured, completion, warnings)}};
}

}  // namespace quartet::bench
