#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/limits.hpp"
#include "bench/program/case.hpp"
#include "bench/program/session.hpp"
#include "cg/checkpoint/checkpointing.hpp"
#include "cg/problem.hpp"
#include "cg/solver.hpp"
#include "cg/system/block_folder.hpp"
#include "cg/system/linear_system.hpp"
#include "cg/verify.hpp"

namespace quartet::cg {

/// One problem solved in one formulation over one transport. The limit is reading the ranks' shares
/// of the matrix once an iteration, all ranks at the same time; in the data flow also taking in p
/// at the reducer, over the link or, where the ranks share memory, by a copy.
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
    std::vector<bench::LimitComponent> limit() override;
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details() const override;

    /// The last run's result, this rank's rows.
    [[nodiscard]] const IterationState& state() const { return solver_->iteration().state(); }

    /// What the limit takes beside the matrix.
    static Bytes limit_memory(const Problem& problem, const comm::Roles& roles);

  private:
    void fill();
    [[nodiscard]] bool flows() const { return roles_.reducers() > 0; }
    Seconds seconds_taking_in();

    bench::Session& session_;
    Problem problem_;
    bench::DataOptions data_;
    comm::Roles roles_;
    Range rows_;  ///< this rank's
    comm::Transport& transport_;
    std::unique_ptr<LinearSystem> system_;
    std::optional<Checkpointing> checkpointing_;  ///< before there is a matrix: it may refuse
    std::optional<BlockFolder> folder_;
    std::unique_ptr<Solver> solver_;
    device::Buffer<double> right_side_;  ///< this rank's rows
    std::vector<double> history_;        ///< r.r before the first iteration and after each
    std::optional<Verifier> verifier_;
    std::optional<VerificationResult> findings_;
    std::optional<bench::MemoryProbe> read_;
    int read_passes_ = 0;
    std::optional<bench::PairProbe> link_;  ///< by which p comes to the reducer, or
    std::array<device::Buffer<double>, 2> merged_;
    std::optional<bench::MemoryProbe> merge_;  ///< from one to the other
};

}  // namespace quartet::cg
