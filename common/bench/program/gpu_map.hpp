#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"

namespace quartet::bench {

/// Which GPU each rank of a node uses, by its place among them: "0,0,1". Numbers count the GPUs
/// that a rank sees (CUDA_VISIBLE_DEVICES and the batch system decide which these are).
using GpuMap = std::vector<int>;

/// Throws UsageError for what is no list of numbers.
GpuMap parse_gpu_map(std::string_view text);

/// The GPU of this rank: from the map, else ranks of a node take those that they see in turn.
/// `visible` is how many this rank sees, at least one. Throws UsageError, on all ranks alike, where
/// a map has not one number for each rank of a node, names a GPU that is not there, or is not the
/// same on all ranks. Collective over `world`.
int choose_gpu(const std::optional<GpuMap>& map, int visible, const comm::Topology& topology,
               const comm::Communicator& world);

}  // namespace quartet::bench
