#pragma once

#include <cstddef>
#include <optional>

#include "comm/windows/window_pool.hpp"
#include "device/device.hpp"
#include "matmul/tiles/operand_layout.hpp"
#include "matmul/tiles/tile_source.hpp"

namespace quartet::matmul {

/// A and B in the host's memory, filled in parallel by the ranks that share a copy. Nothing is
/// brought: slots mean nothing here.
class MemorySource final : public TileSource {
  public:
    /// Allocates what layout.count() counts. Collective over `node`, the ranks of this node.
    MemorySource(const Problem& problem, OperandLayout layout, const comm::Communicator& node,
                 device::Device& device, int threads);

    /// Rows of this rank's block, columns of tile column `inner` of A.
    [[nodiscard]] device::View<const float> a_rows(std::int64_t inner) const;
    [[nodiscard]] device::View<const float> tile(Operand operand, TileIndex tile) const;
    [[nodiscard]] OperandCopies copies() const { return layout_.copies; }

    void fetch(const Fetch& /*fetch*/) override {}
    device::View<const float> tile(const Fetch& fetch, device::Stream& /*stream*/) override {
        return tile(fetch.operand, fetch.tile);
    }
    void release(std::int64_t /*slot*/, device::Stream& /*stream*/) override {}
    std::span<const float> read(std::string_view matrix, TileIndex index) override {
        return tile(matrix == name(Operand::a) ? Operand::a : Operand::b, index).span();
    }
    [[nodiscard]] device::View<const std::byte> memory() const override;

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
