#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/measure/probes.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "cg/loop.hpp"
#include "cg/systems.hpp"
#include "cg/verify.hpp"

namespace quartet::cg {

/// The job that a checkpoint belongs to, and how far it had come: "manifest.json" beside the
/// vectors.
struct CheckpointManifest {
    static constexpr int schema_version = 3;

    /// A job can only go on from a checkpoint with the same values: "--size": "8192".
    std::map<std::string, std::string> job;
    double residual_dot = 0;
    double alpha = 0;
    std::vector<double> history;  ///< r.r before each of the iterations that are done
    std::vector<double> spent;    ///< seconds in all processes so far: real, CPU, and of each phase
    std::vector<std::string> checksums;  ///< of each rank's vectors

    [[nodiscard]] std::int64_t done() const { return std::ssize(history); }
};

/// As JSON, with a checksum of its own.
std::string to_text(const CheckpointManifest& manifest);
/// Throws Failure that says what is wrong with the text, in words that follow its file's name:
/// "is not as it was written (its checksum differs)".
CheckpointManifest parse_manifest(const std::string& text);

/// The last iteration with a checkpoint in the folder, or nothing. Local.
std::optional<std::int64_t> latest_checkpoint(const std::filesystem::path& folder);

/// Saves the state of the iterations, every `every` of them and when a signal asks any rank to
/// stop; and restores it with the same number of ranks.
///
/// A checkpoint is a folder "iteration-300": x, r and p of each rank's rows in "state-RANK.npy",
/// and the manifest. It is written aside; once the ranks agree that all is there and flushed, the
/// root renames it and removes the one before it. So a process may be killed at any moment.
class Checkpoint final : public Observer {
  public:
    /// Reads the checkpoint to go on from, with --restart. `rows` are this rank's. Throws
    /// UsageError, on all ranks alike, if the checkpoint is of another problem, was altered (the
    /// message names the file), or if the folder cannot be used. Collective; local while the arena
    /// plans, and then without the folder. Borrows the session.
    Checkpoint(device::Arena& arena, bench::Session& session, CheckpointOptions options,
               const bench::Variant& variant, const Problem& problem, Range rows);

    /// Puts the checkpoint to go on from, if there is one, into the state and the first elements of
    /// `history`. Local.
    void restore(IterationState& state, std::span<double> history);
    /// Before the iterations: starts the clocks. Local.
    void begin();

    [[nodiscard]] bool wants_stop() const override;
    /// Throws Failure if a checkpoint cannot be written, on all ranks alike; the one before it is
    /// kept.
    Next after(const IterationState& state, std::span<const double> history, bool stop) override;

    /// See Case.
    [[nodiscard]] const std::optional<std::string>& stopped() const { return stopped_; }
    [[nodiscard]] bench::EarlierTime earlier() const;
    /// The iteration from which it went on; empty if it began.
    [[nodiscard]] std::string note() const;
    [[nodiscard]] std::vector<std::pair<std::string, double>> numbers() const;

  private:
    void read(std::int64_t iteration);
    void write(const IterationState& state, std::span<const double> history);
    [[nodiscard]] std::vector<double> spent() const;

    bench::Session& session_;
    const comm::Communicator& world_;
    CheckpointOptions options_;
    std::map<std::string, std::string> job_;
    std::int64_t size_;
    std::int64_t iterations_;
    std::int64_t rows_;
    device::Buffer<double> image_;              ///< x, r and p of this rank's rows
    std::optional<CheckpointManifest> origin_;  ///< of the checkpoint that this job goes on from
    Seconds begin_;
    Seconds cpu_begin_;
    int written_ = 0;
    std::optional<std::string> stopped_;
};

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
    std::unique_ptr<SystemFiles> files_;
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
