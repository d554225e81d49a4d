#pragma once

#include "device/device.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

/// The product of tiles that lie in memory: on the host they are multiplied where they are. All
/// tiles of C in one tile column of the rank's block follow one another, as do those of A, so that
/// one call multiplies them with a tile of B: larger products run faster (matmul/README.md).
class ResidentProduct final : public Product {
  public:
    /// `blocks`: of all ranks. Collective over the node's ranks.
    ResidentProduct(const Problem& problem, const std::vector<Block>& blocks, const Block& block,
                    const comm::Topology& topology, Sharing sharing, device::Device& device,
                    int threads);

    void prepare() override {}
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] std::string note() const override;

    /// Of a rank, for its results alone.
    static Bytes result_memory(const Problem& problem, const Block& block);

    /// For tests: the result as it lies in memory, tile column by tile column.
    [[nodiscard]] std::span<float> results() { return results_.span(); }

  private:
    /// Where tile column `column` of C begins.
    [[nodiscard]] std::int64_t panel_begin(std::int64_t column) const;

    Problem problem_;
    Block block_;
    Sharing sharing_;
    device::Device& device_;
    Operands operands_;
    device::Buffer<float> results_;
};

}  // namespace quartet::matmul
