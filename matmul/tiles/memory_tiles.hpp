#pragma once

#include "device/device.hpp"
#include "matmul/tiles/host_tiles.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

/// Tiles in page-locked memory of the host, each rank its own: what copies reach at full speed. C
/// is stored as in ResidentProduct: the tiles of one tile column of the block follow one another.
class MemoryTiles final : public HostTiles {
  public:
    /// `blocks`: of all ranks. Collective over the node's ranks.
    MemoryTiles(const Problem& problem, const std::vector<Block>& blocks, const Block& block,
                const comm::Topology& topology, device::Device& device, int threads);

    void fetch(Operand operand, TileIndex tile, device::View<float> to,
               device::Stream& stream) override;
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;

    /// For tests: all of the result.
    [[nodiscard]] std::span<float> results() { return results_.span(); }

  private:
    [[nodiscard]] device::View<float> place_of(TileIndex tile);

    Problem problem_;
    Block block_;
    device::Device& device_;
    Operands operands_;
    device::Buffer<float> results_;
};

}  // namespace quartet::matmul
