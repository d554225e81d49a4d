#pragma once

#include "device/device.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

/// The product of tiles that lie in the host's memory, multiplied in place. All tiles of C in one
/// tile column of the rank's block follow one another, as do those of A, so that one call
/// multiplies them with a tile of B: larger products run faster (docs/notes/matmul.md).
class ResidentProduct final : public Product {
  public:
    /// Allocates layout.memory(). Collective over `node`, the ranks of this node.
    ResidentProduct(const Problem& problem, const ResidentLayout& layout,
                    const comm::Communicator& node, device::Device& device, int threads);

    void prepare() override {}
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return operands_.memory();
    }
    [[nodiscard]] std::string note() const override;

    /// For tests: the result as it lies in memory, tile column by tile column.
    [[nodiscard]] std::span<float> results() { return results_.span(); }

  private:
    Problem problem_;
    Block block_;
    device::Device& device_;
    Operands operands_;
    device::Buffer<float> results_;
};

}  // namespace quartet::matmul
