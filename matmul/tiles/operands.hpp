#pragma once

#include <cstddef>
#include <optional>

#include "comm/windows/window_pool.hpp"
#include "device/device.hpp"
#include "matmul/tiles/operand_layout.hpp"

namespace quartet::matmul {

/// A and B in memory, filled in parallel by the ranks that share a copy.
class Operands {
  public:
    /// Allocates layout.allocated. Collective over `node`, the ranks of this node.
    Operands(const Problem& problem, OperandLayout layout, const comm::Communicator& node,
             device::Device& device, int threads);

    /// Rows of this rank's block, columns of tile column `inner` of A.
    [[nodiscard]] device::View<const float> a_rows(std::int64_t inner) const;
    [[nodiscard]] device::View<const float> tile(Operand operand, TileIndex tile) const;
    /// What this rank has allocated of A and B, for a guard: all ranks' together are both.
    [[nodiscard]] device::View<const std::byte> memory() const;
    [[nodiscard]] OperandCopies copies() const { return layout_.copies; }

  private:
    void allocate(const comm::Communicator& node, device::Device& device);
    void fill(const comm::Communicator& node, int threads);
    [[nodiscard]] float* data_of(const OperandPanel& panel) const;
    [[nodiscard]] device::View<const float> rows_of(std::int64_t panel, const Range& rows) const;

    Problem problem_;
    OperandLayout layout_;
    std::optional<comm::WindowPool> pool_;
    device::Allocation memory_;  ///< before its pool in destruction
};

}  // namespace quartet::matmul
