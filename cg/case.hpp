#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/measure/probes.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "cg/checkpoint.hpp"
#include "cg/loop.hpp"
#include "cg/systems.hpp"
#include "cg/verify.hpp"

namespace quartet::cg {

/// How long the iterations would take at the machine's limit: reading each rank's share of the
/// matrix once an iteration, all ranks at the same time, or the arithmetic in registers. The matrix
/// is read by whatever reads it fastest: one of the device's loops that only read, the share's own
/// product, or gemv of the device's BLAS. Passes follow one another, as iterations do: both find in
/// the caches what stays there. With a reducer, all of p goes there, too, in every iteration: over
/// the link, as one worker's rows times the number of workers, or by a copy if the ranks share
/// memory.
class Limit {
  public:
    /// Borrows the session and the share, which is null on a reducer. Collective; local while the
    /// arena plans.
    Limit(device::Arena& arena, bench::Session& session, comm::Transport& transport,
          const Problem& problem, const comm::Roles& roles, MatrixShare* share);

    /// Probes each component; the slowest decides. The same answer on all ranks. Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    void add_products(MatrixShare& share);
    [[nodiscard]] Seconds intake();

    bench::Session& session_;
    Problem problem_;
    comm::Roles roles_;
    bench::ArithmeticLimit arithmetic_;
    // On ranks with rows: the probe, and the vectors of products that read the matrix.
    std::optional<bench::MemoryProbe> probe_;
    device::Buffer<double> x_;
    device::Buffer<double> y_;
    // With a reducer the link is measured, or the copy from the first buffer to the second.
    std::optional<bench::PairProbe> link_;
    std::array<device::Buffer<double>, 2> copied_;
    std::optional<bench::MemoryProbe> copy_;
    // From the first measurement on:
    int passes_ = 0;
    std::string way_;  ///< of the probes, summarised over the ranks
};

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
    void prepare_limit(device::Arena& arena) override {
        limit_.emplace(arena, session_, transport_, problem_, roles_, loop_->share());
    }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details() const override;

    /// The last run's result, this rank's rows.
    [[nodiscard]] const IterationState& state() const { return loop_->state(); }

  private:
    void fill(MatrixShare& share);
    [[nodiscard]] std::span<const double> own_rows(std::span<const double> whole) const;
    void examine();
    [[nodiscard]] double error_of_step();
    [[nodiscard]] std::pair<std::int64_t, double> worst_scalars();

    bench::Session& session_;
    Problem problem_;
    bench::DataOptions data_;
    comm::Roles roles_;
    Range rows_;  ///< this rank's
    comm::Transport& transport_;
    std::unique_ptr<LinearSystem> system_;    ///< none while the arena plans
    std::unique_ptr<Checkpoint> checkpoint_;  ///< made before the matrix, since it may refuse
    std::optional<SystemFiles> files_;
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
    std::optional<Limit> limit_;
};

/// A case with its name, before anything is allocated. Throws UsageError. Local.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const bench::DataOptions& data,
                                const CheckpointOptions& checkpoint = {});

/// Adds a case for each variant of the session and storage. Throws UsageError. Collective.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::cg
