#include "cg/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bench/session/variants.hpp"
#include "cg/checkpoint.hpp"
#include "cg/loop.hpp"
#include "cg/solve_case.hpp"
#include "cg/make_system.hpp"
#include "comm/mpi/agree.hpp"

namespace quartet::cg {

namespace {

std::string joined(const std::vector<Storage>& values) {
    std::string text;
    for (const Storage value : values) {
        text += (text.empty() ? "" : ",") + std::string(name(value));
    }
    return text;
}

bool is_dataflow(const bench::Variant& variant) {
    return variant.formulation == bench::Formulation::dataflow;
}

bool is_library(const bench::Variant& variant) {
    return variant.formulation == bench::Formulation::library;
}

bench::RowName row_name(const bench::Session& session, const bench::Variant& variant,
                        const Problem& problem) {
    bench::RowName row = bench::row_name(session, variant, std::to_string(problem.size));
    row.words = {{"problem", problem.system},
                 {"storage", std::string(name(problem.storage))},
                 {"algorithm", "classic"}};
    row.size_key = "n";
    row.factors = {{"iterations", std::to_string(problem.iterations)}};
    if (is_dataflow(variant)) {
        row.factors.emplace_back("queue", std::to_string(session.options().queue));
    }
    return row;
}

Bytes folder_memory(const bench::Session& session, const Problem& problem,
                    const bench::DataOptions& data) {
    if (!data.in_files()) {
        return {};
    }
    Bytes memory;
    comm::agree<UsageError>(session.world(),
                            [&] { memory = BlockFolder(session, problem, data).memory(); });
    return memory;
}

void plan_memory(bench::Session& session, const Problem& problem, const comm::Roles& roles,
                 const bench::DataOptions& data, const CheckpointOptions& checkpoint,
                 bench::PlannedCase& planned) {
    const bench::Variant& variant = planned.name.variant;
    const std::int64_t rows = problem.rows(roles, session.world().rank()).size();
    bench::Arena arena;
    count_loop(arena, session, bench::operation_memory(session, variant.transport), problem,
               variant.formulation);
    SolveCase::Buffers(arena, problem, rows);
    if (device::has_own_memory(session.device())) {
        // The CPU sees whole vectors of a GPU in memory of its own.
        arena.count(bytes_of<double>(2 * problem.size), bench::Room::host);
    }
    if (checkpoint.wanted()) {
        arena.count(Checkpoint::memory(rows), bench::Room::host);
    }
    bench::announce(arena, session, planned);
    const Bytes reading = folder_memory(session, problem, data);  // before there is a matrix
    planned.memory = system_memory(problem) + std::max(planned.memory, reading);
}

// An iteration gathers r, of the library p; parts of a triangle also sum up their products. In the
// data flow blocks of p go to the reducer, and all of it to each worker.
comm::RankTraffic traffic_of(bench::Session& session, const Problem& problem,
                             const comm::Roles& roles, bench::Formulation formulation) {
    const int rank = session.world().rank();
    const auto bytes = [&](std::int64_t elements) {
        return problem.iterations * bytes_of<double>(elements).value;
    };
    const std::int64_t mine = problem.rows(roles, rank).size();
    comm::RankTraffic traffic;
    std::vector<std::int64_t> to_ranks(static_cast<std::size_t>(roles.ranks()));
    if (formulation == bench::Formulation::dataflow) {
        const bool works = roles.of(rank) == comm::Role::worker;
        for (const int to : works ? std::vector{roles.reducer_rank(0)} : roles.worker_ranks()) {
            to_ranks[static_cast<std::size_t>(to)] = bytes(works ? mine : problem.size);
        }
        traffic.payloads = std::move(to_ranks);
        if (works && device::has_own_memory(session.device())) {
            traffic.copied_out = bytes(mine);
            traffic.copied_in = bytes(problem.size);
        }
        return traffic;
    }
    for (int to = 0; to < roles.ranks(); ++to) {
        const std::int64_t summed =
            problem.storage == Storage::symmetric ? problem.rows(roles, to).size() : 0;
        to_ranks[static_cast<std::size_t>(to)] = to == rank ? 0 : bytes(mine + summed);
    }
    traffic.sent = std::move(to_ranks);
    return traffic;
}

// Why a formulation has full storage alone; nothing if it has both.
std::optional<std::string> why_full_alone(const bench::Variant& variant) {
    if (is_dataflow(variant)) {
        return "a part of a triangle contributes to all rows, for which the paper's flow has no "
               "queue";
    }
    if (is_library(variant)) {
        return "it is the textbook's iteration, by BLAS gemv on whole rows";
    }
    return std::nullopt;
}

// Leaves out what the formulation lacks; throws if the lists name nothing that it has.
bool is_left_out(const bench::Variant& variant, Storage storage, const Options& options) {
    const auto reason = why_full_alone(variant);
    if (!reason || storage == Storage::full) {
        return false;
    }
    if (std::ranges::find(options.storages, Storage::full) == options.storages.end()) {
        throw UsageError(
            fmt::format("--formulation {}: it has full storage alone ({}): add --storage full",
                        name(variant.formulation), *reason));
    }
    return true;
}

// With --restart the folder must have a checkpoint; without, it must have none to be replaced.
void require_usable(const CheckpointOptions& options) {
    const std::string folder = quotation(options.folder->native());
    std::error_code ignored;
    if (std::filesystem::exists(*options.folder, ignored) &&
        !std::filesystem::is_directory(*options.folder, ignored)) {
        throw UsageError("--checkpoint: " + folder + " is not a folder: name another one");
    }
    const bool is_there = latest_checkpoint(*options.folder).has_value();
    if (options.restart == bench::Switch::off && is_there) {
        throw UsageError("--checkpoint: " + folder +
                         " has a checkpoint (it would be replaced): go on from it with --restart, "
                         "or name another folder");
    }
    if (options.restart == bench::Switch::on && !is_there) {
        throw UsageError("--restart: " + folder +
                         " has no checkpoint: leave out --restart to begin");
    }
}

void plan_variant(bench::Session& session, const bench::Variant& variant, Problem problem,
                  const Options& options) {
    for (const Storage storage : options.storages) {
        if (!is_left_out(variant, storage, options)) {
            problem.storage = storage;
            session.add(planned_case(session, variant, problem, options.data, options.checkpoint));
        }
    }
}

}  // namespace

bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const bench::DataOptions& data,
                                const CheckpointOptions& checkpoint) {
    const comm::Roles roles = roles_of(variant.formulation, session.world().size());
    bench::PlannedCase planned;
    planned.name = row_name(session, variant, problem);
    planned.work = problem.work(roles.workers());
    plan_memory(session, problem, roles, data, checkpoint, planned);
    planned.uses_files = data.in_files();
    planned.traffic = {planned.work.bytes.value / roles.workers()};
    planned.moved = traffic_of(session, problem, roles, variant.formulation);
    planned.make = [&session, variant, problem, data,
                    checkpoint]() -> std::unique_ptr<bench::Case> {
        return std::make_unique<SolveCase>(session, variant, problem, data, checkpoint);
    };
    if (is_dataflow(variant)) {
        planned.roles = roles;
        planned.plan_note = "rank 0 reduces, the others work";
    }
    if (checkpoint.wanted()) {
        planned.repetition = bench::Repetition::once;
        planned.name.factors.emplace_back("every", std::to_string(checkpoint.every));
        planned.plan_note += fmt::format("{}a checkpoint every {} iterations",
                                         planned.plan_note.empty() ? "" : "; ", checkpoint.every);
        session.resolve("runs", "1");
        session.resolve("warmup", "0");
    }
    return planned;
}

void plan_cases(bench::Session& session, const Options& options) {
    require_consistent(options, session.options());
    comm::agree<UsageError>(session.world(), [&] {
        if (options.checkpoint.wanted()) {
            require_usable(options.checkpoint);
        }
    });
    Problem problem;
    problem.system = options.problem;
    problem.iterations = options.iterations;
    session.resolve("size", bench::join_sizes(options.sizes));
    session.resolve("storage", joined(options.storages));
    for (const bench::Variant& variant : bench::variants(session)) {
        if (options.checkpoint.wanted() && is_library(variant)) {
            throw UsageError(
                "--checkpoint: formulation library has none (it is what plain MPI and BLAS give): "
                "ask for --formulation native or dataflow alone");
        }
        for (const std::int64_t size : options.sizes) {
            problem.size = size;
            plan_variant(session, variant, problem, options);
        }
    }
    if (options.checkpoint.wanted() && session.plan().size() != 1) {
        throw UsageError(
            fmt::format("--checkpoint: {} cases (one at a time has checkpoints): name one size, "
                        "formulation, transport and storage",
                        session.plan().size()));
    }
}

}  // namespace quartet::cg
