#include "cg/solve_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/version.hpp"
#include "cg/laplace.hpp"
#include "cg/matrix_file.hpp"
#include "cg/random_system.hpp"
#include "comm/mpi_session.hpp"
#include "core/checksum.hpp"

namespace quartet::cg {

namespace {

constexpr std::int64_t default_size = 8192;

bool is_made(const std::string& system) {
    return system == "laplace" || system == "random";
}

std::unique_ptr<LinearSystem> make_system(const Problem& problem, bench::Session& session) {
    if (problem.system == "laplace") {
        return std::make_unique<Laplace>(problem.size);
    }
    if (problem.system == "random") {
        return std::make_unique<RandomSystem>(problem.size, session.options().seed);
    }
    return std::make_unique<MatrixFile>(problem.system, session.world(), session.options().seed);
}

Bytes system_memory(const Problem& problem, int ranks) {
    // Of the made ones random has more: six vectors of doubles, two of long doubles.
    return is_made(problem.system) ? (6 * 8 + 2 * 16) * Bytes{problem.size}
                                   : MatrixFile::memory(problem.size, ranks);
}

std::int64_t size_of(const Options& options) {
    if (!options.from_file()) {
        return options.size.value_or(default_size);
    }
    const std::int64_t size = MatrixFile::size_in(options.problem);
    if (options.size && *options.size != size) {
        throw UsageError(fmt::format("--size: {} is not that of {} ({}): leave it out",
                                     *options.size, quotation(options.problem), size));
    }
    return size;
}

template <typename Value>
std::string joined(const std::vector<Value>& values) {
    std::string text;
    for (const Value value : values) {
        text += (text.empty() ? "" : ",") + std::string(name(value));
    }
    return text;
}

bench::RowName row_name(const bench::Session& session, const bench::Variant& variant,
                        const Problem& problem) {
    bench::RowName row = session.row_name(variant, std::to_string(problem.size));
    row.words = {problem.word(), std::string(name(problem.storage)),
                 std::string(name(problem.algorithm))};
    row.size_key = "n";
    row.factors = {{"iterations", std::to_string(problem.iterations)}};
    return row;
}

Bytes memory(bench::Session& session, const Problem& problem,
             const std::optional<BlockFolder>& folder) {
    const int ranks = session.world().size();
    const int rank = session.world().rank();
    const std::int64_t rows = block_range(problem.size, ranks, rank).size();
    const Bytes solving = DistributedMatrix::memory(session.device(), problem, ranks, rank) +
                          Iteration::memory(problem, rows) +
                          bytes_of<double>(rows + problem.iterations + 1) +
                          Verifier::memory(problem.size);
    const Bytes reading = folder ? folder->memory() : Bytes{0};  // before there is a matrix
    return system_memory(problem, ranks) + std::max(solving, reading);
}

std::optional<BlockFolder> folder_of(const bench::Session& session, const Problem& problem,
                                     const bench::DataOptions& data) {
    if (!data.in_files()) {
        return std::nullopt;
    }
    return BlockFolder(*data.folder, problem, session.options().seed, session.world().size(),
                       data.generate);
}

// Made and checked before there is a matrix: both take memory. Collective.
std::optional<BlockFolder> prepared_folder(bench::Session& session, const Problem& problem,
                                           const bench::DataOptions& data,
                                           const LinearSystem& system) {
    auto folder = folder_of(session, problem, data);
    if (folder) {
        folder->prepare(session, system, data.generate);
    }
    return folder;
}

// What it is a checkpoint of, and how it was made.
CheckpointManifest manifest_of(const bench::Session& session, const bench::Variant& variant,
                               const Problem& problem, const LinearSystem& system,
                               const std::string& device) {
    CheckpointManifest manifest;
    manifest.system = is_made(problem.system) ? problem.system : "file";
    manifest.size = problem.size;
    manifest.seed = session.options().seed;
    manifest.right_side =
        is_made(problem.system) ? 0 : checksum(std::as_bytes(system.right_side()));
    manifest.algorithm = problem.algorithm;
    manifest.iterations = problem.iterations;
    manifest.set_up = {{"formulation", variant.formulation},
                       {"transport", variant.transport},
                       {"storage", std::string(name(problem.storage))},
                       {"ranks", std::to_string(session.world().size())},
                       {"threads", std::to_string(session.threads())},
                       {"device", device},
                       {"version", std::string(bench::version())},
                       {"commit", std::string(bench::commit())},
                       {"compiler", std::string(bench::compiler())},
                       {"flags", std::string(bench::compiler_flags())},
                       {"mpi", comm::MpiSession::library_version()}};
    return manifest;
}

std::optional<Checkpointing> make_checkpointing(bench::Session& session,
                                                const bench::Variant& variant,
                                                const Problem& problem, const LinearSystem& system,
                                                const CheckpointOptions& options) {
    if (!options.wanted()) {
        return std::nullopt;
    }
    const Range rows = block_range(problem.size, session.world().size(), session.world().rank());
    return std::optional<Checkpointing>(
        std::in_place, session, options,
        manifest_of(session, variant, problem, system, session.device().description()), rows);
}

void plan_checkpoints(bench::Session& session, const Problem& problem,
                      const CheckpointOptions& options, bench::PlannedCase& planned) {
    const Range rows = block_range(problem.size, session.world().size(), session.world().rank());
    planned.memory = planned.memory + Checkpointing::memory(problem.algorithm, rows.size());
    planned.repetition = bench::Repetition::once;
    planned.name.factors.emplace_back("every", std::to_string(options.every));
    planned.plan_note = fmt::format("a checkpoint every {} iterations", options.every);
    session.resolve("runs", "1");
    session.resolve("warmup", "0");
}

}  // namespace

bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const bench::DataOptions& data,
                                const CheckpointOptions& checkpoint) {
    const int ranks = session.world().size();
    bench::PlannedCase planned;
    planned.name = row_name(session, variant, problem);
    planned.work = problem.work(ranks);
    planned.memory = memory(session, problem, folder_of(session, problem, data));
    if (variant.transport == "shm") {
        planned.shared_memory =
            DistributedMatrix::window_memory(problem, ranks, session.world().rank());
    }
    planned.traffic = {planned.work.bytes.value / ranks};
    planned.conditions = {{"device", variant.device},
                          {"transport", variant.transport},
                          {"n", std::to_string(problem.size)},
                          {"workers", std::to_string(ranks)}};
    planned.make = [&session, variant, problem, data,
                    checkpoint]() -> std::unique_ptr<bench::Case> {
        return std::make_unique<SolveCase>(session, variant, problem, data, checkpoint);
    };
    if (checkpoint.wanted()) {
        plan_checkpoints(session, problem, checkpoint, planned);
    }
    return planned;
}

void plan_cases(bench::Session& session, const Options& options) {
    require_consistent(options, session.options());
    if (options.checkpoint.wanted()) {
        require_usable(options.checkpoint);
    }
    Problem problem;
    problem.system = options.problem;
    problem.size = size_of(options);
    problem.iterations = options.iterations;
    session.resolve("size", std::to_string(problem.size));
    session.resolve("storage", joined(options.storages));
    session.resolve("algorithm", joined(options.algorithms));
    for (const bench::Variant& variant : session.variants()) {
        for (const Storage storage : options.storages) {
            for (const Algorithm algorithm : options.algorithms) {
                problem.storage = storage;
                problem.algorithm = algorithm;
                session.add(
                    planned_case(session, variant, problem, options.data, options.checkpoint));
            }
        }
    }
    if (options.checkpoint.wanted() && session.plan().size() != 1) {
        throw UsageError(
            fmt::format("--checkpoint: {} cases (one at a time has checkpoints): name one "
                        "formulation, transport, storage and algorithm",
                        session.plan().size()));
    }
}

SolveCase::SolveCase(bench::Session& session, const bench::Variant& variant, const Problem& problem,
                     const bench::DataOptions& data, const CheckpointOptions& checkpoint)
    : session_(session),
      problem_(problem),
      data_(data),
      transport_(
          (session.require_formulation(variant.formulation), session.transport(variant.transport))),
      system_(make_system(problem, session)),
      checkpointing_(make_checkpointing(session, variant, problem, *system_, checkpoint)),
      folder_(prepared_folder(session, problem, data, *system_)),
      matrix_(session, transport_, problem),
      iteration_(Iteration::make(problem.algorithm, session, matrix_,
                                 "matrix " + quotation(problem.word()))),
      right_side_(device::allocate<double>(session.device(), matrix_.rows().size())),
      history_(static_cast<std::size_t>(problem.iterations) + 1) {
    fill();
    if (session.options().verify == bench::Switch::on) {
        verifier_.emplace(*system_, problem.iterations);
    }
}

void SolveCase::fill() {
    const Range rows = matrix_.rows();
    const auto count = static_cast<std::size_t>(rows.size());
    auto staging =
        device::allocate<double>(session_.device(), rows.size(), device::MemoryKind::pinned);
    if (folder_) {
        folder_->read_right_side(rows.begin, staging.span());
    } else {
        std::ranges::copy(
            system_->right_side().subspan(static_cast<std::size_t>(rows.begin), count),
            staging.span().begin());
    }
    matrix_.share().fill([this](std::int64_t row, std::int64_t first, std::span<double> out) {
        if (folder_) {
            folder_->read_row(row, first, out);
        } else {
            system_->read_row(row, first, out);
        }
    });
    session_.device().copy(device::as_bytes(device::View<const double>(staging.view())),
                           device::as_bytes(right_side_.view()), session_.stream());
    session_.stream().synchronize();
}

void SolveCase::prepare() {
    iteration_->restart(right_side_.view());
    if (checkpointing_) {
        checkpointing_->restore(iteration_->state(), history_);
    }
}

void SolveCase::run(bench::Clocks& /*clocks*/) {
    if (!checkpointing_) {
        Watch nobody;
        iteration_->run(history_, nobody);
        return;
    }
    checkpointing_->begin();
    iteration_->run(history_, *checkpointing_);
    checkpointing_->end();
}

// All rows of a vector, on all ranks: they take the way of the vector that is multiplied, whose
// values are lost.
std::vector<double> SolveCase::whole(device::View<const double> rows) {
    device::Device& device = session_.device();
    if (rows.data() != matrix_.input().data()) {
        device.copy(device::as_bytes(rows), device::as_bytes(matrix_.input()), session_.stream());
    }
    const auto gathered = matrix_.gather();
    auto host = device::allocate<double>(device, gathered.size(), device::MemoryKind::pinned);
    device.copy(device::as_bytes(gathered), device::as_bytes(host.view()), session_.stream());
    session_.stream().synchronize();
    return {host.span().begin(), host.span().end()};
}

std::optional<std::string> SolveCase::stopped() const {
    return checkpointing_ ? checkpointing_->stopped() : std::nullopt;
}

bench::Spent SolveCase::earlier() const {
    return checkpointing_ ? checkpointing_->earlier() : bench::Spent{};
}

std::string SolveCase::note() const {
    const std::string transport = transport_.description();
    const std::string restart = checkpointing_ ? checkpointing_->note() : "";
    return transport + (transport.empty() || restart.empty() ? "" : "; ") + restart;
}

bench::Check SolveCase::verify() {
    // The residual first: it may lie where the solution then goes.
    const std::vector<double> residual = whole(iteration_->state().residual);
    const std::vector<double> solution = whole(iteration_->state().solution);
    findings_ = verifier_->examine(solution, residual);
    if (data_.keep == bench::Switch::on) {
        const Range rows = matrix_.rows();
        BlockFolder::write_solution(
            *data_.folder, session_.world().rank(),
            std::span(solution).subspan(static_cast<std::size_t>(rows.begin),
                                        static_cast<std::size_t>(rows.size())));
    }
    return findings_->check;
}

void SolveCase::prepare_limit() {
    if (!matrix_.share().storage().empty()) {
        read_.emplace(session_.device(), matrix_.share().storage());
        read_passes_ = read_->passes_for(bench::probe_time, 1000, session_.stream());
    }
}

Seconds SolveCase::limit() {
    double rate = 0;
    if (read_) {
        const Seconds pass = read_->measure(read_passes_, session_.stream());
        rate = static_cast<double>(read_->traffic().value) / pass.value;
    }
    const double all = session_.world().sum(rate);
    return {static_cast<double>(problem_.work(1).bytes.value) / all};
}

bench::Details SolveCase::details() const {
    bench::Details details;
    if (findings_) {
        details.numbers = {{"true_residual", findings_->true_residual},
                           {"residual_gap", findings_->residual_gap},
                           {"residual_gap_tolerance", findings_->gap_tolerance},
                           {"solution_error", findings_->solution_error},
                           {"energy_error", findings_->energy_error},
                           {"energy_error_tolerance", findings_->energy_tolerance}};
    }
    if (checkpointing_) {
        std::ranges::copy(checkpointing_->numbers(), std::back_inserter(details.numbers));
    }
    // |r| by recurrence, relative to |r0|, before the first iteration and after each.
    std::vector<double> relative;
    relative.reserve(history_.size());
    for (const double dot : history_) {
        relative.push_back(history_.front() > 0 ? std::sqrt(dot / history_.front()) : 0);
    }
    details.series = {{"residual_history", relative}};
    return details;
}

}  // namespace quartet::cg
