#include "bench/program/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/program/progress.hpp"
#include "bench/report/terminal.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::bench {

namespace {

/// The memory that a case needs, on this node or on the GPU of this rank, for its largest rank and
/// for all ranks that share it together.
struct Needs {
    Bytes largest_rank;
    Bytes memory;
    Bytes free;
};

Needs needs_on_node(const PlannedCase& planned, const Session& session) {
    Needs needs{
        .largest_rank = {}, .memory = {}, .free = session.topology().resources().memory_available};
    for (const std::int64_t bytes : session.topology().node().gather(planned.needs.host.value)) {
        needs.memory = needs.memory + Bytes{bytes};
        needs.largest_rank = std::max(needs.largest_rank, Bytes{bytes});
    }
    return needs;
}

// The largest rank is that of the job.
std::optional<Needs> needs_on_gpu(const PlannedCase& planned, const Session& session) {
    if (session.gpus().empty()) {
        return std::nullopt;
    }
    const auto all = session.world().gather(planned.needs.device.value);
    const std::vector<int>& sharing = session.gpus().of(session.world().rank()).ranks;
    Needs needs{.largest_rank = {std::ranges::max(all)},
                .memory = {},
                .free = std::ssize(sharing) * session.gpus().memory_share()};
    for (const int rank : sharing) {
        needs.memory = needs.memory + Bytes{all[static_cast<std::size_t>(rank)]};
    }
    return needs;
}

// Collective, as the needs are.
std::optional<std::string> why_too_large(const PlannedCase& planned, const Session& session) {
    const CommonOptions& options = session.options();
    const std::string name = planned.name.text();
    const Needs node = needs_on_node(planned, session);
    const auto gpu = needs_on_gpu(planned, session);
    if (options.memory && node.largest_rank > *options.memory) {
        return fmt::format("{} needs {} per rank (--memory allows {}): ask for a smaller size",
                           name, to_string(node.largest_rank), to_string(*options.memory));
    }
    if (node.memory > node.free) {
        return fmt::format(
            "{} needs {} on a node ({} are available): ask for a smaller size or fewer ranks", name,
            to_string(node.memory), to_string(node.free));
    }
    if (gpu && options.device_memory && gpu->largest_rank > *options.device_memory) {
        return fmt::format(
            "{} needs {} of GPU memory per rank (--device-memory allows {}): ask for a smaller "
            "size",
            name, to_string(gpu->largest_rank), to_string(*options.device_memory));
    }
    if (gpu && gpu->memory > gpu->free) {
        return fmt::format(
            "{} needs {} of the memory of one {} ({} are free, for all ranks that share it): ask "
            "for a smaller size, or use more GPUs",
            name, to_string(gpu->memory), session.gpus().of(session.world().rank()).name,
            to_string(gpu->free));
    }
    return std::nullopt;
}

std::string describe_gpus(const Session& session) {
    std::string text;
    for (const Gpu& gpu : session.gpus().all()) {
        text += fmt::format("gpu: {} ({}) on {}: rank{} {}\n", gpu.name, gpu.uuid, gpu.host,
                            gpu.ranks.size() == 1 ? "" : "s", comm::format_cpus(gpu.ranks));
    }
    if (!session.gpus().empty()) {
        text += fmt::format("GPU memory: {} free for the first rank\n",
                            to_string(session.gpus().memory_share()));
    }
    for (const std::string& line : session.gpus().idle()) {
        text += line + "\n";
    }
    return text;
}

std::string describe_files(const CommonOptions& options) {
    std::string files;
    for (const auto& file : {options.json, options.trace}) {
        if (file) {
            files += (files.empty() ? "" : ", ") + file->string();
        }
    }
    return files.empty() ? "none" : files;
}

std::string describe_rank(const Session& session, const comm::Roles& roles, int rank) {
    const comm::Placement& place = session.topology().of(rank);
    std::string text =
        fmt::format("  {:<7} {}: rank {} on {}, cpus {}", name(roles.of(rank)),
                    roles.index_of(rank), rank, place.host, comm::format_cpus(place.cpus));
    if (!session.gpus().empty()) {
        const Gpu& its = session.gpus().of(rank);
        text += fmt::format(", GPU {} {}", its.name, its.uuid);
        if (!its.numa_nodes.empty()) {
            text += " at NUMA node " + comm::format_cpus(its.numa_nodes);
        }
    }
    return text + "\n";
}

/// How the ranks are divided into roles, as in the paper's description of a cluster (II.A, III),
/// and which formulations divide them so.
struct Cluster {
    comm::Roles roles;
    std::vector<Formulation> formulations;
};

// The different divisions of the planned cases, in the plan's order.
std::vector<Cluster> clusters(const Session& session) {
    std::vector<Cluster> all;
    for (const PlannedCase& planned : session.plan()) {
        const comm::Roles roles = roles_of(planned, session.world().size());
        const Formulation formulation = planned.name.variant.formulation;
        const auto alike = std::ranges::find_if(
            all, [&](const Cluster& other) { return other.roles.reducers() == roles.reducers(); });
        if (alike == all.end()) {
            all.push_back({roles, {formulation}});
        } else if (std::ranges::find(alike->formulations, formulation) ==
                   alike->formulations.end()) {
            alike->formulations.push_back(formulation);
        }
    }
    return all;
}

device::MemoryNeeds needs_of(const PlannedCase& planned, Session& session) {
    device::Arena arena(session.device(), device::Arena::Mode::plan);
    const auto made = planned.make(arena);
    if (session.options().limits == Switch::on) {
        made->prepare_limit(arena);
    }
    return arena.needs();
}

}  // namespace

std::string describe_clusters(const Session& session) {
    const int ranks = session.world().size();
    std::string text = fmt::format("{} on {}, {} each\n", counted(ranks, "rank"),
                                   counted(session.topology().nodes(), "node"),
                                   counted(session.threads(), "thread"));
    for (const Cluster& cluster : clusters(session)) {
        std::string whose;
        for (const Formulation formulation : cluster.formulations) {
            whose += fmt::format("{}{}", whose.empty() ? "" : ", ", name(formulation));
        }
        text += fmt::format("{}: {}, {}\n", whose, counted(cluster.roles.reducers(), "reducer"),
                            counted(cluster.roles.workers(), "worker"));
        for (int rank = 0; rank < ranks; ++rank) {
            text += describe_rank(session, cluster.roles, rank);
        }
    }
    return text;
}

void find_needs(Session& session) {
    for (PlannedCase& planned : session.plan()) {
        auto reason = why_unavailable([&] { session.transport(planned.name.variant.transport); });
        const auto plan = [&] { planned.needs = needs_of(planned, session); };
        if (!reason) {  // the same on all ranks
            comm::agree<UsageError>(session.world(), [&] { reason = why_unavailable(plan); });
        }
        planned.unavailable = session.world().first(reason).value_or("");
    }
}

void require_memory(Session& session) {
    for (const PlannedCase& planned : session.plan()) {
        if (const auto problem = session.world().first(why_too_large(planned, session))) {
            throw UsageError(*problem);
        }
    }
}

std::string describe_plan(Session& session) {
    std::string text = describe_clusters(session);
    text += fmt::format("memory: {} available on the first node\n",
                        to_string(session.topology().resources().memory_available));
    text += describe_gpus(session);
    text += fmt::format("files: {}\n", describe_files(session.options()));
    text += "cases (memory of the largest rank, of the first node):\n";
    for (const PlannedCase& planned : session.plan()) {
        const Needs needs = needs_on_node(planned, session);
        const auto on_gpu = needs_on_gpu(planned, session);
        text += fmt::format(
            "  {}\n    {}, {}{}\n", planned.name.text(), to_string(needs.largest_rank),
            to_string(needs.memory),
            on_gpu ? fmt::format("; of GPU memory {}, {}", to_string(on_gpu->largest_rank),
                                 to_string(on_gpu->memory))
                   : "");
        for (const std::string& note : {planned.plan_note, planned.unavailable}) {
            text += note.empty() ? "" : "    " + note + "\n";
        }
    }
    for (const std::string& warning : warnings(session, {})) {
        text += fmt::format("warning: {}\n", warning);
    }
    return text + fmt::format("estimated time: {:.1f} s\n", forecast(session).left({}).value);
}

std::string describe_choices(Session& session) {
    const auto line = [](const std::string& name, const std::optional<std::string>& reason) {
        return fmt::format("  {:<10} {}\n", name, reason.value_or("available"));
    };
    std::string text = "devices\n";
    for (const device::DeviceKind& kind : session.devices().kinds()) {
        text += line(kind.name, kind.why_not());
    }
    text += "formulations\n";
    const std::vector<Formulation>& there = session.description().formulations;
    for (const Formulation formulation : all_formulations) {
        const bool is_missing = std::ranges::find(there, formulation) == there.end();
        text += line(std::string(name(formulation)),
                     is_missing ? std::optional("not available in this build") : std::nullopt);
    }
    text += fmt::format("instruction sets of the host's loops{}\n",
                        session.isa().empty() ? "" : fmt::format(" (used: {})", session.isa()));
    for (const device::Loops* loops : device::compiled_loops()) {
        text += line(std::string(loops->isa),
                     device::processor_has(loops->isa)
                         ? std::nullopt
                         : std::optional<std::string>("this processor does not have it"));
    }
    text += fmt::format("transports on {} (auto: {})\n", session.device().name(),
                        session.registry().automatic(session.transport_context()));
    for (const std::string& name : session.registry().names()) {
        text += line(name, session.registry().why_not(name, session.transport_context()));
    }
    return text;
}

}  // namespace quartet::bench
