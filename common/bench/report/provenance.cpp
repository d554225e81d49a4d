#include "bench/report/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "bench/report/cluster.hpp"
#include "bench/report/system_facts.hpp"
#include "bench/results/version.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "comm/mpi/mpi_settings.hpp"
#include "system/caches.hpp"
#include "system/system_text.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;
using system::first_line;

constexpr int result_schema_version = 1;
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

// The number that a line of the kernel begins with.
int leading_number(const char* text) {
    return static_cast<int>(std::strtol(text, nullptr, 10));
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

// 0 where neither tells it, as on Arm without frequency scaling.
int megahertz() {
    const std::string kilohertz =
        first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (!kilohertz.empty()) {
        return leading_number(kilohertz.c_str()) / 1000;
    }
    const std::string text = system::read_text("/proc/cpuinfo").value_or("");
    return leading_number(system::value_of(text, "cpu MHz", ':').c_str());
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

Json build() {
    return {{"compiler", compiler()},
            {"flags", compiler_flags()},
            {"type", build_type()},
            {"cblas", cblas()}};
}

Json limits(std::span<const Row> rows) {
    Json all = Json::array();
    for (const Row& row : rows) {
        if (row.limit) {
            all.push_back({{"name", row.name.text()},
                           {"what", row.limit->what()},
                           {"seconds", row.limit->seconds.value}});
        }
    }
    return all;
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

// How each figure came about, in words that hold for all rows.
Json method(const Session& session, const Method& method) {
    return {{"groups", method.groups},
            {"rounds", method.rounds},
            {"stopped", method.stopped},
            {"order", "one run of each case of a group a round, every other round in reverse"},
            {"warmup_discarded", session.options().runs.warmup},
            {"barrier",
             "all ranks begin a run after an MPI barrier, each times it by its own clock "
             "until its device is done, and the slowest rank's time stands"},
            {"timer", "clock_gettime(CLOCK_MONOTONIC)"},
            {"limits", "probed on all ranks right before each run"},
            {"central_value", "median of the runs; no run is left out for its own time"}};
}

// The time of the job by stage, up to the document.
Json wall(const StageClock& clock) {
    Json stages = Json::object();
    for (std::size_t index = 0; index < stage_count; ++index) {
        const auto stage = static_cast<Stage>(index);
        stages[std::string(name(stage))] = clock.of(stage).value;
    }
    return {{"seconds", clock.total().value},
            {"begins", clock.by_a_launcher() ? "launcher" : "process"},
            {"stages", stages}};
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
                {"cluster", clusters_json(session)},
                {"device", session.device().name()},
                {"device_description", session.device().description()},
                {"gpus", session.gpus().json()},
                {"why_no_gpu", session.devices().why_no_accelerator().value_or("")},
                {"mpi", comm::MpiSession::library_version()},
                {"mpi_settings", comm::mpi_settings()},
                {"system", system_facts(session)},
                {"method", method(session, measured.method)},
                {"complete", completion == Completion::complete},
                {"slurm", with_prefix(variables, "SLURM_")},
                {"environment", variables},
                {"limits", limits(measured.rows)},
                {"warnings", warnings}};
    if (!session.isa().empty()) {
        object["isa"] = session.isa();
    }
    object["wall"] = wall(session.record().stages);
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
