#pragma once

#include <memory>
#include <vector>

#include "matmul/matrices.hpp"

namespace quartet::matmul {

/// A product of matrices that lie in the host's memory.
class MemoryProduct : public Product {
  public:
    /// Collective over `node`, the ranks of this node; local while the arena plans.
    MemoryProduct(device::Arena& arena, const Problem& problem, const OperandLayout& layout,
                  const comm::Communicator& node)
        : problem_(problem),
          block_(layout.block),
          device_(arena.device()),
          inputs_(arena, problem, layout, node),
          results_(arena, problem, layout.block) {}

    void set_up() override { inputs_.fill(); }
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return inputs_.tile(operand, tile).span();
    }
    std::span<const float> result(TileIndex tile) override { return results_.tile(tile).span(); }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_.memory();
    }

  protected:
    Problem problem_;
    Block block_;
    device::Device& device_;
    HostInputs inputs_;
    HostResult results_;
};

/// A part of C that is computed at once.
struct Strip {
    Range rows;     ///< elements, counted from the first row of the rank's block
    Range columns;  ///< of tiles, counted from its first tile column
};

/// A product of matrices in the host's memory by a GPU whose memory holds all three. One stream
/// copies A and B in, one copies C out, both beside the products.
class InCoreProduct final : public MemoryProduct {
  public:
    /// Collective over `node`; local while the arena plans.
    InCoreProduct(device::Arena& arena, const Problem& problem, const OperandLayout& layout,
                  std::int64_t height, const comm::Communicator& node);

    void run(device::Stream& stream) override;
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// Bytes that the last run copied to the GPU and from it.
    [[nodiscard]] Traffic copied() const { return copied_; }

  private:
    /// The rows of A and columns of B that earlier strips have copied to the GPU.
    struct Corner {
        std::int64_t rows = 0;
        std::int64_t columns = 0;
    };

    void bring(const Strip& strip, const Corner& corner, std::int64_t inner);
    void multiply(const Strip& strip, std::int64_t inner, device::Stream& stream);
    void store(const Range& rows, std::int64_t column, device::Stream& stream);
    void copy_in(device::View<const float> from, device::View<float> to);
    [[nodiscard]] device::View<float> a_of(const Range& rows, std::int64_t inner);
    [[nodiscard]] device::View<float> b_of(std::int64_t inner, std::int64_t column);
    [[nodiscard]] device::View<float> c_of(const Range& rows, std::int64_t column);

    std::int64_t rows_;  ///< elements of the block
    std::int64_t height_;
    // The GPU's copies of the block's rows of A, in columns of tiles as on the host, its columns
    // of B, and its C.
    device::Buffer<float> a_;
    device::Buffer<float> b_;
    device::Buffer<float> c_;
    std::vector<Strip> strips_;
    Traffic copied_;
    std::unique_ptr<device::Event> brought_;
    std::unique_ptr<device::Event> complete_;
    std::unique_ptr<device::Stream> copying_in_;
    std::unique_ptr<device::Stream> copying_out_;
};

}  // namespace quartet::matmul
