#pragma once

#include <functional>
#include <span>

#include "cg/checkpoint/checkpoint_folder.hpp"
#include "cg/checkpoint/checkpoint_image.hpp"
#include "cg/checkpoint/checkpoint_manifest.hpp"
#include "comm/mpi/communicator.hpp"

namespace quartet::cg {

/// Writes checkpoints: each rank its image and the root the rest, aside and flushed. The ranks
/// agree that all is there, and the root renames. Allocates a little, as text and in proportion to
/// the iterations.
class CheckpointWriter {
  public:
    /// All are borrowed.
    CheckpointWriter(const CheckpointFolder& folder, CheckpointImage& image,
                     const comm::Communicator& world, Track& track)
        : folder_(folder), image_(image), world_(world), track_(track) {}

    /// Writes the state and `history`, r.r before each iteration so far; `manifest`, which is asked
    /// on all ranks once the images are written, says all else. Throws Failure, on all ranks alike,
    /// where that fails; earlier checkpoints are kept. Collective.
    void write(const IterationState& state, std::span<const double> history,
               const std::function<CheckpointManifest()>& manifest);

  private:
    template <typename Work>
    void agree(std::int64_t iteration, Work work);
    void write_image(const IterationState& state);
    [[nodiscard]] std::vector<SavedFile> saved_files() const;
    void write_manifest(CheckpointManifest manifest, std::span<const double> history) const;

    const CheckpointFolder& folder_;
    CheckpointImage& image_;
    const comm::Communicator& world_;
    Track& track_;
    std::uint64_t checksum_ = 0;  ///< of the image
};

}  // namespace quartet::cg
