#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "cg/loop.hpp"

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

}  // namespace quartet::cg
