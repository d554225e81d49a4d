#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "cg/checkpoint.hpp"
#include "cg/files.hpp"
#include "cg/loop.hpp"
#include "cg/systems.hpp"
#include "cg/verify.hpp"

namespace quartet::cg {

/// One problem solved in one formulation over one transport.
class SolveCase final : public bench::Case {
  public:
    /// Makes and checks the files of the system and of the checkpoint, before there is a matrix.
    /// Collective; local while the arena plans. Throws Unavailable, or UsageError or Failure that
    /// names a file.
    SolveCase(device::Arena& arena, bench::Session& session, const bench::Variant& variant,
              const Problem& problem, const bench::DataOptions& data,
              const CheckpointOptions& checkpoint = {});

    /// Makes or reads the elements of the matrix.
    void set_up() override;
    void prepare() override;
    void run() override;
    [[nodiscard]] std::optional<std::string> stopped() const override;
    [[nodiscard]] bench::EarlierTime earlier() const override;
    bench::Check verify() override;
    void prepare_limit(device::Arena& arena) override { limit_ = loop_->make_limit(arena); }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details() const override;

    /// The last run's result, this rank's rows.
    [[nodiscard]] const IterationState& state() const { return loop_->state(); }

  private:
    void fill();
    void examine();
    [[nodiscard]] double error_of_step();
    [[nodiscard]] std::pair<std::int64_t, double> worst_scalars();

    bench::Session& session_;
    Problem problem_;
    bench::DataOptions data_;
    Range rows_;  ///< this rank's
    comm::Transport& transport_;
    std::unique_ptr<LinearSystem> system_;    ///< none while the arena plans
    std::unique_ptr<Checkpoint> checkpoint_;  ///< made before the matrix, since it may refuse
    std::optional<SystemFiles> folder_;
    std::unique_ptr<CgLoop> loop_;
    std::string products_;               ///< the ways to multiply, summarised over the ranks
    device::Buffer<double> right_side_;  ///< this rank's rows
    device::Buffer<double> staging_;     ///< this rank's rows of a right side, for the CPU to fill
    std::vector<double> history_;        ///< r.r before the first iteration and after each
    Samples samples_;                    ///< states for the verification
    bench::InputGuard guard_;            ///< of matrix and right side
    std::optional<Verifier> verifier_;
    std::optional<VerificationResult> result_;
    std::optional<double> step_error_;  ///< of the step from random numbers, once it is made
    std::unique_ptr<Limit> limit_;
};

/// A case with its name, before anything is allocated. Throws UsageError. Local.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const bench::DataOptions& data,
                                const CheckpointOptions& checkpoint = {});

/// Adds a case for each variant of the session and storage. Throws UsageError. Collective.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::cg
