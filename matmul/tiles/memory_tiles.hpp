#pragma once

#include "device/device.hpp"
#include "matmul/tiles/host_tiles.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

/// Tiles in page-locked memory of the host, each rank its own: what copies reach at full speed. C
/// is stored as in ResidentProduct.
class MemoryTiles final : public HostTiles {
  public:
    /// Allocates layout.memory(). Collective over `node`, the ranks of this node.
    MemoryTiles(const Problem& problem, const ResidentLayout& layout,
                const comm::Communicator& node, device::Device& device, int threads);

    void fetch(Operand operand, TileIndex tile, device::View<float> to,
               device::Stream& stream) override;
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bool in_memory() const override { return true; }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return operands_.memory();
    }

  private:
    [[nodiscard]] device::View<float> result_view(TileIndex tile);

    Problem problem_;
    Block block_;
    device::Device& device_;
    Operands operands_;
    device::Buffer<float> results_;
};

}  // namespace quartet::matmul
