#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "matmul/problem/partition.hpp"
#include "matmul/problem/product.hpp"

namespace quartet::matmul {

/// The checksums that a folder's manifest has of the tiles of A and B: what the check of a product
/// expects then comes from sound input.
class RecordedSums {
  public:
    /// No sums.
    RecordedSums() = default;
    /// Reads the manifest, if there is one: a user's own data may have none. Throws Failure. Local.
    explicit RecordedSums(std::filesystem::path folder);

    /// Throws Failure that names the file where its elements are not the recorded ones.
    void compare(Operand operand, TileIndex tile, std::span<const float> elements) const;

  private:
    std::filesystem::path folder_;
    std::map<std::string, std::uint64_t> sums_;
};

/// Adds the checksums of all tiles of C to the manifest of the folder that has them, on each node:
/// its folder may be its own. Does nothing if there is no manifest. Collective over `world`.
/// Throws Failure.
void record_results(const std::filesystem::path& folder, const Block& block, Product& product,
                    const comm::Communicator& world, const comm::Topology& topology);

}  // namespace quartet::matmul
