#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/case.hpp"
#include "bench/limits.hpp"
#include "bench/session.hpp"
#include "cg/block_folder.hpp"
#include "cg/checkpointing.hpp"
#include "cg/distributed_matrix.hpp"
#include "cg/iteration.hpp"
#include "cg/linear_system.hpp"
#include "cg/problem.hpp"
#include "cg/verifier.hpp"

namespace quartet::cg {

/// What would run, with its memory and its name, before anything is allocated. Throws UsageError.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const bench::DataOptions& data,
                                const CheckpointOptions& checkpoint = {});

/// Adds a case for each variant of the session, storage and algorithm. Throws UsageError.
void plan_cases(bench::Session& session, const Options& options);

/// One problem solved over one transport. The limit is reading the ranks' shares of the matrix once
/// an iteration, all ranks at the same time.
class SolveCase final : public bench::Case {
  public:
    /// Makes or reads the system and fills the matrix. Collective. Throws Unavailable, or Failure
    /// that names a file.
    SolveCase(bench::Session& session, const bench::Variant& variant, const Problem& problem,
              const bench::DataOptions& data, const CheckpointOptions& checkpoint = {});

    void prepare() override;
    void run(bench::Clocks& clocks) override;
    [[nodiscard]] std::optional<std::string> stopped() const override;
    [[nodiscard]] bench::Spent earlier() const override;
    bench::Check verify() override;
    void prepare_limit() override;
    Seconds limit() override;
    [[nodiscard]] std::string limit_name() const override { return "reading the matrix"; }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details() const override;

    /// The last run's result, this rank's rows.
    [[nodiscard]] const IterationState& state() const { return iteration_->state(); }

  private:
    void fill();
    std::vector<double> whole(device::View<const double> rows);

    bench::Session& session_;
    Problem problem_;
    bench::DataOptions data_;
    comm::Transport& transport_;
    std::unique_ptr<LinearSystem> system_;
    std::optional<Checkpointing> checkpointing_;  ///< before there is a matrix: it may refuse
    std::optional<BlockFolder> folder_;
    DistributedMatrix matrix_;
    std::unique_ptr<Iteration> iteration_;
    device::Buffer<double> right_side_;  ///< this rank's rows
    std::vector<double> history_;        ///< r.r before the first iteration and after each
    std::optional<Verifier> verifier_;
    std::optional<Findings> findings_;
    std::optional<bench::MemoryProbe> read_;
    int read_passes_ = 0;
};

}  // namespace quartet::cg
