#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/program/case.hpp"
#include "bench/program/session.hpp"
#include "cg/checkpoint/checkpoint_folder.hpp"
#include "cg/checkpoint/checkpoint_manifest.hpp"
#include "cg/iteration.hpp"
#include "core/block_range.hpp"
#include "system/signal_flag.hpp"

namespace quartet::cg {

/// Saves where the iterations stand every so many of them, and where SIGUSR1 or SIGTERM asks any
/// rank to stop, and restores it. A checkpoint has a file of each rank: x, r, p (and A p of the
/// single-reduction algorithm), its rows of each; one of r.r before each iteration; and a manifest.
/// All are in .npy but the manifest. They are written aside and flushed, the ranks agree that all
/// are, and one rank renames. Saving allocates a little, as text and in proportion to the
/// iterations; the vectors' memory is there before.
class Checkpointing final : public Observer {
  public:
    /// Takes the signals. Where there is something to go on from, chooses and checks it. `now` says
    /// what is being solved and how; `rows` are this rank's. Throws UsageError for another problem
    /// or a folder that cannot be used, Failure that names what was altered, on all ranks alike.
    /// Collective. Borrows the session.
    Checkpointing(bench::Session& session, CheckpointOptions options, CheckpointManifest now,
                  Range rows);

    /// What a rank of so many rows needs.
    static Bytes memory(Algorithm algorithm, std::int64_t rows);

    /// Where there is something to go on from, puts it into the state's vectors and scalars and the
    /// first elements of `history`. Collective; throws Failure.
    void restore(IterationState& state, std::span<double> history);
    /// Around the iterations: starts the clocks; gives the signals back, since nothing more will
    /// be saved. Local.
    void begin();
    void end() { signals_.reset(); }

    [[nodiscard]] bool wants_stop() const override;
    /// Throws Failure where a checkpoint cannot be written, on all ranks alike.
    Next after(const IterationState& state, std::span<const double> history, bool stop) override;

    /// As Case has them.
    [[nodiscard]] const std::optional<std::string>& stopped() const { return stopped_; }
    [[nodiscard]] bench::Spent earlier() const;
    /// From where it went on, and what differs from what it went on from.
    [[nodiscard]] std::string note() const;
    [[nodiscard]] std::vector<std::pair<std::string, double>> numbers() const;

  private:
    void make_usable() const;
    void choose();
    void require_unaltered() const;
    void read_vectors(const SavedFile& file);
    void save(const IterationState& state, std::span<const double> history);
    void write_vectors(const IterationState& state);
    void write_manifest(CheckpointManifest manifest, std::span<const double> history) const;
    [[nodiscard]] bench::Spent spent() const;
    [[nodiscard]] std::vector<SavedFile> saved_files() const;
    void agree(const std::optional<std::string>& problem) const;
    [[nodiscard]] device::View<double> staged(std::size_t vector);

    bench::Session& session_;
    const comm::Communicator& world_;
    CheckpointOptions options_;
    CheckpointFolder folder_;
    CheckpointManifest now_;
    Range rows_;
    std::optional<CheckpointManifest> origin_;  ///< what is gone on from
    std::optional<system::SignalFlag> signals_;
    std::size_t header_;            ///< of the image, in doubles
    device::Buffer<double> image_;  ///< of this rank's file
    std::uint64_t checksum_ = 0;    ///< of the image
    Seconds begin_;
    Seconds cpu_begin_;
    int written_ = 0;
    std::optional<std::string> stopped_;
};

}  // namespace quartet::cg
