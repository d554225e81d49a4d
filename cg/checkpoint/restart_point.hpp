#pragma once

#include <filesystem>
#include <span>

#include "cg/checkpoint/checkpoint_folder.hpp"
#include "cg/checkpoint/checkpoint_image.hpp"
#include "cg/checkpoint/checkpoint_manifest.hpp"
#include "comm/mpi/communicator.hpp"

namespace quartet::cg {

/// The checkpoint that a run goes on from.
class RestartPoint {
  public:
    /// Chooses it and checks it. `now` says what is being solved. Throws UsageError where that is
    /// another problem, or that names what was altered, on all ranks alike. Collective.
    RestartPoint(const CheckpointFolder& folder, Restart which, const CheckpointManifest& now,
                 const comm::Communicator& world);

    [[nodiscard]] const CheckpointManifest& manifest() const { return manifest_; }
    /// Puts it into the state's vectors and scalars and the first elements of `history`, by way of
    /// `image`. Local; throws NpyError.
    void restore(IterationState& state, std::span<double> history, CheckpointImage& image) const;

  private:
    CheckpointManifest manifest_;
    std::filesystem::path path_;  ///< of the checkpoint's own folder
};

}  // namespace quartet::cg
