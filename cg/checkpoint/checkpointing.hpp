#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "cg/checkpoint/checkpoint_folder.hpp"
#include "cg/checkpoint/checkpoint_image.hpp"
#include "cg/checkpoint/checkpoint_manifest.hpp"

namespace quartet::cg {

/// Saves the state of the iterations, every `every` of them and when a signal asks any rank to
/// stop; and restores it. To save, each rank writes its image, and the root the rest, to a folder
/// aside, and flushes. Once the ranks agree that all is there, the root renames it. The memory of
/// the vectors exists before; saving allocates only a little text, in proportion to the iterations.
class Checkpointing final : public Observer {
  public:
    /// Chooses and checks the checkpoint to go on from, if there is one. `now` says what is being
    /// solved and how; `rows` are this rank's. Throws UsageError if the checkpoint is of another
    /// problem, or the folder cannot be used; the message names files that were altered. All ranks
    /// throw alike. Collective. Borrows the session.
    Checkpointing(bench::Session& session, CheckpointOptions options, CheckpointManifest now,
                  Range rows);
    Checkpointing(const Checkpointing&) = delete;
    Checkpointing& operator=(const Checkpointing&) = delete;

    /// Puts the checkpoint to go on from, if there is one, into the state's vectors and scalars and
    /// the first elements of `history`. Throws Failure. Local.
    void restore(IterationState& state, std::span<double> history);
    /// Before the iterations: starts the clocks. Local.
    void begin();

    [[nodiscard]] bool wants_stop() const override;
    /// Throws Failure if a checkpoint cannot be written, on all ranks alike; earlier ones are
    /// kept.
    Next after(const IterationState& state, std::span<const double> history, bool stop) override;

    /// See Case.
    [[nodiscard]] const std::optional<std::string>& stopped() const { return stopped_; }
    [[nodiscard]] bench::EarlierTime earlier() const;
    /// The iteration from which it went on, and the differences from that job.
    [[nodiscard]] std::string note() const;
    [[nodiscard]] std::vector<std::pair<std::string, double>> numbers() const;

  private:
    void write(const IterationState& state, std::span<const double> history);
    template <typename Work>
    void agree(std::int64_t iteration, Work work);
    [[nodiscard]] std::vector<SavedFile> saved_files(std::uint64_t checksum) const;
    void write_manifest(CheckpointManifest manifest, std::span<const double> history) const;
    [[nodiscard]] bench::EarlierTime spent() const;

    bench::Session& session_;
    const comm::Communicator& world_;
    CheckpointOptions options_;
    CheckpointFolder folder_;
    CheckpointManifest now_;
    std::optional<CheckpointManifest> origin_;  ///< of what is gone on from
    CheckpointImage image_;
    Seconds begin_;
    Seconds cpu_begin_;
    int written_ = 0;
    std::optional<std::string> stopped_;
};

}  // namespace quartet::cg
