#pragma once

#include "cg/checkpoint/checkpoint_folder.hpp"
#include "cg/checkpoint/checkpoint_manifest.hpp"
#include "comm/mpi/communicator.hpp"

namespace quartet::cg {

/// Chooses the checkpoint that a run goes on from, and checks all of its files. `now` says what is
/// being solved. Throws UsageError if that is another problem, or that names what was altered,
/// on all ranks alike. Collective.
CheckpointManifest find_restart_point(const CheckpointFolder& folder, Restart which,
                                      const CheckpointManifest& now,
                                      const comm::Communicator& world);

}  // namespace quartet::cg
