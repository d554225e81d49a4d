#pragma once

#include <filesystem>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "matmul/partition.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// Adds the checksums of all tiles of C to the manifest of the folder that has them, on each node:
/// its folder may be its own. A user's own data may have no manifest: then nothing is added.
/// Collective over `world`. Throws Failure.
void record_results(const std::filesystem::path& folder, const Block& block, RankTiles& tiles,
                    const comm::Communicator& world, const comm::Topology& topology);

}  // namespace quartet::matmul
