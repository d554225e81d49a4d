#include "cg/case.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/session/variants.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/blas.hpp"

namespace quartet::cg {

namespace {

std::string words_of(const Breakdown& found) {
    return fmt::format(
        "p.Ap = {:.3g} and r.r = {:.3g} in iteration {}, which no positive definite matrix gives: "
        "a product, a sum or a message is wrong",
        found.curvature, found.residual_dot, found.iteration);
}

}  // namespace

SolveCase::SolveCase(device::Arena& arena, bench::Session& session, const bench::Variant& variant,
                     const Problem& problem, const bench::DataOptions& data,
                     const CheckpointOptions& checkpoint)
    : session_(session),
      problem_(problem),
      data_(data),
      roles_(roles_of(variant.formulation, session.world().size())),
      rows_(problem.rows(roles_, session.world().rank())),
      transport_((bench::require_formulation(session, variant.formulation),
                  session.transport(variant.transport))),
      system_(arena.plans() ? nullptr : make_system(problem, session.options().seed)),
      checkpoint_(checkpoint.wanted() ? std::make_unique<Checkpoint>(arena, session, checkpoint,
                                                                     variant, problem, rows_)
                                      : nullptr),
      files_(data.in_files() ? std::make_unique<SystemFiles>(session, problem, data, system_.get())
                             : nullptr),
      loop_(make_loop(arena, session, transport_, problem, variant.formulation)),
      right_side_(arena.make<double>(rows_.size())),
      staging_(arena.make<double>(rows_.size(), device::MemoryKind::pinned)),
      history_(arena.make_vector<double>(problem.iterations + 1)),
      samples_(arena, session, rows_.size()),
      guard_(session.threads()) {
    arena.reserve(Verifier::memory(problem.size));
    if (device::has_own_memory(session.device())) {
        // The CPU sees whole vectors of a GPU in memory of its own.
        arena.reserve(bytes_of<double>(4 * problem.size));
    }
    if (files_) {  // there is no matrix yet while a file is made or checked
        arena.reserve_for_set_up(std::max(Bytes{}, files_->memory() - arena.needs().host));
    }
    arena.reserve(system_memory(problem));
}

void SolveCase::set_up() {
    MatrixShare* const share = loop_->share();
    if (share != nullptr) {
        fill(*share);
    }
    session_.world().barrier();  // before the ranks measure: they share the machine's memory
    if (share != nullptr) {
        share->choose_way();
    }
    products_ =
        bench::summarise_over_ranks(share != nullptr ? share->description() : "", session_.world());
    if (session_.options().verify == bench::Switch::on) {
        guard_.remember(device::View<const double>(right_side_.view()));
        if (share != nullptr) {
            guard_.remember(share->storage());
        }
        verifier_.emplace(*system_, problem_.iterations);
    }
}

void SolveCase::fill(MatrixShare& share) {
    if (files_) {
        files_->read_right_side(rows_.begin, staging_.span());
    } else {
        std::ranges::copy(own_rows(system_->right_side()), staging_.span().begin());
    }
    share.fill([this](std::int64_t row, std::int64_t first, std::span<double> out) {
        files_ ? files_->read_row(row, first, out) : system_->read_row(row, first, out);
    });
    session_.device().copy(device::as_bytes(device::View<const double>(staging_.view())),
                           device::as_bytes(right_side_.view()), session_.stream());
    session_.stream().synchronize();
}

std::span<const double> SolveCase::own_rows(std::span<const double> whole) const {
    return whole.subspan(static_cast<std::size_t>(rows_.begin),
                         static_cast<std::size_t>(rows_.size()));
}

void SolveCase::prepare() {
    loop_->restart(right_side_.view());
    if (checkpoint_) {
        checkpoint_->restore(loop_->state(), history_);
    }
    samples_.choose(state().done, problem_.iterations);
}

void SolveCase::run() {
    if (checkpoint_) {
        checkpoint_->begin();
    }
    loop_->run(history_, checkpoint_.get(), &samples_);
    if (state().breakdown && session_.options().verify == bench::Switch::off) {
        throw Failure(words_of(*state().breakdown));
    }
}

std::optional<std::string> SolveCase::stopped() const {
    return checkpoint_ ? checkpoint_->stopped() : std::nullopt;
}

bench::EarlierTime SolveCase::earlier() const {
    return checkpoint_ ? checkpoint_->earlier() : bench::EarlierTime{};
}

std::string SolveCase::note() const {
    std::string text;
    for (const std::string& part :
         {products_, transport_.description(), checkpoint_ ? checkpoint_->note() : ""}) {
        text += (text.empty() || part.empty() ? "" : "; ") + part;
    }
    return text;
}

bench::Check SolveCase::verify() {
    examine();
    if (!system_->has_even_right_side() && !step_error_) {
        step_error_ = error_of_step();
    }
    bench::Check check = result_->check;
    const auto add = [&check](double error, const std::string& why) {
        if (!(error <= check.error) && !std::isnan(check.error)) {  // also if it is no number
            check.error = error;
        }
        if (!(error <= check.tolerance)) {
            check.passed = false;
            check.why = why;
        }
    };
    add(step_error_.value_or(0), "a step from random numbers is wrong");
    const auto [iteration, error] = worst_scalars();
    add(error, fmt::format("alpha or beta of iteration {} is wrong", iteration + 1));
    const auto& broken = loop_->state().breakdown;
    if (const auto why =
            session_.world().first(broken ? std::optional(words_of(*broken)) : std::nullopt)) {
        check.passed = false;
        check.why = *why;
    }
    return guard_.judge(std::move(check), session_.world());
}

// The sampled iteration in which alpha and beta have the largest error, and that error.
std::pair<std::int64_t, double> SolveCase::worst_scalars() {
    std::pair<std::int64_t, double> worst{0, 0};
    for (const Samples::Sample& sample : samples_.chosen()) {
        const std::array vectors{
            loop_->gather(sample.residual[0]), loop_->gather(sample.direction[0]),
            loop_->gather(sample.residual[1]), loop_->gather(sample.direction[1])};
        const double error =
            verifier_->error_of_scalars({vectors[0], vectors[1], vectors[2], vectors[3]});
        if (!(error <= worst.second)) {
            worst = {sample.iteration, error};
        }
    }
    return worst;
}

void SolveCase::examine() {
    // The residual first: it may lie where the solution then goes.
    const std::vector<double> residual = loop_->gather(state().residual);
    const std::vector<double> solution = loop_->gather(state().solution);
    result_ = verifier_->examine(solution, residual);
    if (data_.keep == bench::Switch::on) {
        SystemFiles::write_solution(*data_.folder, session_.world(), own_rows(solution));
    }
}

// Made once for each case, after its first run: all runs have the same matrix and code.
double SolveCase::error_of_step() {
    const auto z = symmetric_uniform(problem_.size, session_.options().seed, "cg/step");
    std::ranges::copy(own_rows(z), staging_.span().begin());
    std::vector<double> history(2);
    Observer observer;  // so that the step is made as the iterations of the runs are
    loop_->restart(staging_.view());
    loop_->run(history, checkpoint_ ? &observer : nullptr);
    const std::vector<double> residual = loop_->gather(state().residual);
    const std::vector<double> solution = loop_->gather(state().solution);
    return verifier_->error_of_step(z, solution, residual);
}

bench::Details SolveCase::details() const {
    bench::Details details;
    if (result_) {
        details.numbers = {{"true_residual", result_->true_residual},
                           {"residual_gap", result_->residual_gap},
                           {"residual_gap_tolerance", result_->gap_tolerance},
                           {"solution_error", result_->solution_error},
                           {"energy_error", result_->energy_error},
                           {"energy_error_tolerance", result_->energy_tolerance}};
    }
    if (checkpoint_) {
        std::ranges::copy(checkpoint_->numbers(), std::back_inserter(details.numbers));
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

Limit::Limit(device::Arena& arena, bench::Session& session, comm::Transport& transport,
             const Problem& problem, const comm::Roles& roles, MatrixShare* share)
    : session_(session),
      problem_(problem),
      roles_(roles),
      arithmetic_(session.device(), share != nullptr ? bench::ArithmeticLimit::Part::computes
                                                     : bench::ArithmeticLimit::Part::waits) {
    if (share != nullptr && !share->storage().empty()) {
        probe_.emplace(arena, share->storage());
        x_ = arena.make<double>(problem.size);
        y_ = arena.make<double>(problem.size);
        add_products(*share);
    }
    if (roles.reducers() == 0) {
        return;
    }
    if (transport.traits().receive == comm::Receive::copied) {
        link_.emplace(arena, transport, session.world(), roles.worker_rank(0),
                      roles.reducer_rank(0), bytes_of<double>(problem.largest_rows(roles)));
        return;
    }
    for (device::Buffer<double>& buffer : copied_) {
        buffer = arena.make<double>(problem.size, device::MemoryKind::pinned);
    }
    copy_.emplace(session.device(), copied_[0].view(), copied_[1].view());
}

void Limit::add_products(MatrixShare& share) {
    const std::int64_t size = problem_.size;
    const std::int64_t rows = problem_.storage == Storage::symmetric
                                  ? size
                                  : problem_.rows(roles_, session_.world().rank()).size();
    const device::View<const double> x = x_.view();
    const device::View<double> y = y_.view();
    probe_->add_way("the product", [&share, x, y = y.part(0, rows)](device::Stream& stream) {
        share.multiply(x, y, stream);
    });
    // The same memory as a row-major matrix; less than a row at its end is left out.
    const std::int64_t whole = std::min(share.storage().size() / size, size);
    probe_->add_way("gemv", [this, whole, size, x, y = y.part(0, whole),
                             elements = share.storage().part(0, whole * size)](auto& stream) {
        session_.device().blas().gemv(whole, size, elements, x, y, stream);
    });
}

std::vector<bench::LimitComponent> Limit::measure() {
    const comm::Communicator& world = session_.world();
    device::Stream& stream = session_.stream();
    if (passes_ == 0) {
        world.barrier();  // before the ranks measure: they share the machine's memory
        passes_ = 1;
        if (probe_) {
            const Seconds pass = probe_->measure(1, stream);
            passes_ = bench::passes_in(bench::probe_time_beside(problem_.iterations * pass), pass);
        }
        way_ = bench::summarise_over_ranks(probe_ ? probe_->way() : "", world);
    }
    double rate = 0;
    if (probe_) {
        rate =
            static_cast<double>(probe_->traffic().value) / probe_->measure(passes_, stream).value;
    }
    const bench::Work work = problem_.work(1);  // of all ranks together
    const double seconds = static_cast<double>(work.bytes.value) / world.sum(rate);
    std::vector<bench::LimitComponent> found{{"reading the matrix", {seconds}}};
    found.front().way = way_;
    found.push_back(arithmetic_.measure(work.flops, world, stream));
    if (roles_.reducers() > 0) {
        if (session_.device().memory_kind() == device::MemoryKind::host) {
            found.front().extend(roles_.workers(), world.size());
        }
        found.push_back({"taking in p", {world.maximum(intake().value)}});
    }
    return found;
}

Seconds Limit::intake() {
    constexpr int passes = 16;
    const Seconds once = link_ ? roles_.workers() * link_->measure(passes, session_.stream())
                               : copy_->measure(passes, session_.stream());
    const bool reduces = roles_.of(session_.world().rank()) == comm::Role::reducer;
    return reduces ? problem_.iterations * once : Seconds{};
}

namespace {

bool is_dataflow(const bench::Variant& variant) {
    return variant.formulation == bench::Formulation::dataflow;
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

// Leaves out what the formulation lacks; throws if the lists name nothing that it has.
bool is_left_out(const bench::Variant& variant, Storage storage, const Options& options) {
    if (variant.formulation == bench::Formulation::native || storage == Storage::full) {
        return false;
    }
    if (std::ranges::find(options.storages, Storage::full) == options.storages.end()) {
        const char* reason =
            is_dataflow(variant)
                ? "a part of a triangle contributes to all rows, for which the paper's flow has no "
                  "queue"
                : "it is the textbook's iteration, by BLAS gemv on whole rows";
        throw UsageError(
            fmt::format("--formulation {}: it has only full storage ({}): add --storage full",
                        name(variant.formulation), reason));
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

}  // namespace

bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const bench::DataOptions& data,
                                const CheckpointOptions& checkpoint) {
    const comm::Roles roles = roles_of(variant.formulation, session.world().size());
    bench::PlannedCase planned;
    planned.name = row_name(session, variant, problem);
    planned.work = problem.work(roles.workers());
    if (data.in_files()) {
        planned.repetition = bench::Repetition::alone;
    }
    planned.traffic = {planned.work.bytes.value / roles.workers()};
    planned.make = [&session, variant, problem, data, checkpoint](device::Arena& arena) {
        return std::make_unique<SolveCase>(arena, session, variant, problem, data, checkpoint);
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
    session.resolve("size", bench::join_sizes(options.sizes));
    std::vector<std::string_view> storages;
    for (const Storage storage : options.storages) {
        storages.push_back(name(storage));
    }
    session.resolve("storage", fmt::format("{}", fmt::join(storages, ",")));
    for (const bench::Variant& variant : bench::variants(session)) {
        if (options.checkpoint.wanted() && variant.formulation == bench::Formulation::library) {
            throw UsageError(
                "--checkpoint: formulation library has none (it is what plain MPI and BLAS give): "
                "ask for --formulation native or dataflow alone");
        }
        for (const std::int64_t size : options.sizes) {
            for (const Storage storage : options.storages) {
                if (!is_left_out(variant, storage, options)) {
                    session.add(planned_case(session, variant,
                                             {options.problem, size, options.iterations, storage},
                                             options.data, options.checkpoint));
                }
            }
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
