#include "cg/solve_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/measure/probes.hpp"
#include "bench/session/variants.hpp"
#include "cg/make_system.hpp"
#include "cg/uniform.hpp"

namespace quartet::cg {

namespace {

// Made and checked before there is a matrix: both take memory. Collective.
std::optional<BlockFolder> prepared_folder(bench::Session& session, const Problem& problem,
                                           const bench::DataOptions& data,
                                           const LinearSystem& system) {
    if (!data.in_files()) {
        return std::nullopt;
    }
    BlockFolder folder(session, problem, data);
    folder.prepare(session, system, data.generate);
    return folder;
}

}  // namespace

SolveCase::Buffers::Buffers(bench::Arena& arena, const Problem& problem, std::int64_t rows)
    : right_side(arena.make<double>(rows)),
      staging(arena.make<double>(rows, bench::Room::host)),
      history(arena.make_vector<double>(problem.iterations + 1)) {
    arena.count(bytes_of<double>(problem.iterations), bench::Room::host);  // the iterations' clock
    arena.count(Verifier::memory(problem.size), bench::Room::host);
}

SolveCase::SolveCase(bench::Session& session, const bench::Variant& variant, const Problem& problem,
                     const bench::DataOptions& data, const CheckpointOptions& checkpoint)
    : session_(session),
      problem_(problem),
      data_(data),
      rows_(problem.rows(roles_of(variant.formulation, session.world().size()),
                         session.world().rank())),
      transport_((bench::require_formulation(session, variant.formulation),
                  session.transport(variant.transport))),
      system_(make_system(problem, session.options().seed)),
      checkpoint_(checkpoint.wanted()
                      ? std::make_unique<Checkpoint>(session, checkpoint, variant, problem, rows_)
                      : nullptr),
      folder_(prepared_folder(session, problem, data, *system_)),
      loop_(make_loop(session, transport_, problem, variant.formulation)),
      arena_(session.device()),
      buffers_(arena_, problem, rows_.size()),
      clock_(problem.iterations),
      guard_(session.threads()) {
    fill();
    session.world().barrier();  // before the ranks measure: they share the machine's memory
    if (loop_->share() != nullptr) {
        loop_->share()->choose_way();
    }
    products_ = bench::by_ranks(loop_->share() != nullptr ? loop_->share()->description() : "",
                                session.world());
    if (session.options().verify == bench::Switch::on) {
        guard_.remember(device::View<const double>(buffers_.right_side.view()));
        if (loop_->share() != nullptr) {
            guard_.remember(loop_->share()->storage());
        }
        verifier_.emplace(*system_, problem.iterations);
    }
}

void SolveCase::fill() {
    if (loop_->share() == nullptr) {
        return;
    }
    const auto count = static_cast<std::size_t>(rows_.size());
    const std::span<double> staging = buffers_.staging.span();
    if (folder_) {
        folder_->read_right_side(rows_.begin, staging);
    } else {
        std::ranges::copy(
            system_->right_side().subspan(static_cast<std::size_t>(rows_.begin), count),
            staging.begin());
    }
    loop_->share()->fill([this](std::int64_t row, std::int64_t first, std::span<double> out) {
        if (folder_) {
            folder_->read_row(row, first, out);
        } else {
            system_->read_row(row, first, out);
        }
    });
    session_.device().copy(device::as_bytes(device::View<const double>(buffers_.staging.view())),
                           device::as_bytes(buffers_.right_side.view()), session_.stream());
    session_.stream().synchronize();
}

void SolveCase::prepare() {
    loop_->restart(buffers_.right_side.view());
    if (checkpoint_) {
        checkpoint_->restore(loop_->state(), buffers_.history);
    }
}

void SolveCase::run(bench::Clocks& /*clocks*/) {
    if (!checkpoint_) {
        clock_.begin();
        loop_->run(buffers_.history, clock_);
        return;
    }
    checkpoint_->begin();
    loop_->run(buffers_.history, *checkpoint_);
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
    if (step_error_ && !(*step_error_ <= check.tolerance)) {
        check.passed = false;
        check.error = *step_error_ <= check.error ? check.error : *step_error_;
        check.why = "a step from random numbers is wrong";
    }
    return guard_.judge(std::move(check), session_.world());
}

void SolveCase::examine() {
    // The residual first: it may lie where the solution then goes.
    const std::vector<double> residual = loop_->gather(state().residual);
    const std::vector<double> solution = loop_->gather(state().solution);
    result_ = verifier_->examine(solution, residual);
    if (data_.keep == bench::Switch::on) {
        BlockFolder::write_solution(
            *data_.folder, session_.world(),
            std::span(solution).subspan(static_cast<std::size_t>(rows_.begin),
                                        static_cast<std::size_t>(rows_.size())));
    }
}

// Once for each case, after its first run: all runs have the same matrix and code.
double SolveCase::error_of_step() {
    const auto z = symmetric_uniform(problem_.size, session_.options().seed, "cg/step");
    std::ranges::copy(std::span(z).subspan(static_cast<std::size_t>(rows_.begin),
                                           static_cast<std::size_t>(rows_.size())),
                      buffers_.staging.span().begin());
    std::vector<double> history(2);
    Observer observer;
    IterationClock clock(0);
    loop_->restart(buffers_.staging.view());
    loop_->run(history, checkpoint_ ? observer : clock);
    const std::vector<double> residual = loop_->gather(state().residual);
    const std::vector<double> solution = loop_->gather(state().solution);
    return verifier_->error_of_step(z, solution, residual);
}

void SolveCase::prepare_limit() {
    limit_ = loop_->make_limit();
}

std::vector<bench::LimitComponent> SolveCase::limit() {
    return limit_->measure();
}

bench::Details SolveCase::details() const {
    bench::Details details;
    if (result_) {
        details.numbers = {{"true_residual", result_->true_residual},
                           {"residual_gap", result_->residual_gap},
                           {"residual_gap_tolerance", result_->gap_tolerance}};
        for (const auto& [key, value] : {std::pair{"solution_error", result_->solution_error},
                                         {"energy_error", result_->energy_error},
                                         {"energy_error_tolerance", result_->energy_tolerance}}) {
            if (value) {
                details.numbers.emplace_back(key, *value);
            }
        }
    }
    if (checkpoint_) {
        std::ranges::copy(checkpoint_->numbers(), std::back_inserter(details.numbers));
    }
    // |r| by recurrence, relative to |r0|, before the first iteration and after each.
    std::vector<double> relative;
    relative.reserve(buffers_.history.size());
    for (const double dot : buffers_.history) {
        relative.push_back(buffers_.history.front() > 0 ? std::sqrt(dot / buffers_.history.front())
                                                        : 0);
    }
    details.series = {{"residual_history", relative}};
    if (!clock_.seconds().empty()) {
        details.steps = bench::Steps{"iteration", bench::quantiles(clock_.seconds())};
    }
    return details;
}

}  // namespace quartet::cg
