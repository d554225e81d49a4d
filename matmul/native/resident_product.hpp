#pragma once

#include "device/device.hpp"
#include "matmul/problem/product.hpp"
#include "matmul/tiles/memory_source.hpp"
#include "matmul/tiles/tile_sink.hpp"

namespace quartet::matmul {

/// The product of tiles that lie in the host's memory, multiplied in place. All tiles of C in one
/// tile column of the rank's block follow one another, as do those of A, so that one call
/// multiplies them with a tile of B: larger products run faster (docs/notes/matmul.md).
class ResidentProduct final : public Product {
  public:
    /// Allocates what `layout` says, and a MemorySink. Collective over `node`, the ranks of this
    /// node.
    ResidentProduct(const Problem& problem, const OperandLayout& layout,
                    const comm::Communicator& node, device::Device& device, int threads);

    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return inputs_.tile(operand, tile).span();
    }
    std::span<const float> result(TileIndex tile) override { return results_.view(tile).span(); }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_.memory();
    }
    [[nodiscard]] std::string note() const override {
        return inputs_.copies() == OperandCopies::per_node ? "tiles in a shared window"
                                                           : "each rank its own tiles";
    }

    /// For tests: the result as it lies in memory, tile column by tile column.
    [[nodiscard]] std::span<float> results() { return results_.elements(); }

  private:
    Problem problem_;
    Block block_;
    device::Device& device_;
    bench::Arena arena_;
    MemorySource inputs_;
    MemorySink results_;
};

}  // namespace quartet::matmul
