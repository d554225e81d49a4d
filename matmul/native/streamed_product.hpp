#pragma once

#include <memory>

#include "matmul/native/scheduled_product.hpp"
#include "matmul/tiles/host_tiles.hpp"

namespace quartet::matmul {

/// The product through the bounded memory of a GPU: tiles of A and B are copied in ahead of the
/// products, tiles of C copied out behind them, on streams of their own. The host's memory, or the
/// disk behind it, bounds the matrices, the GPU's does not.
class StreamedProduct final : public ScheduledProduct {
  public:
    StreamedProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                    std::unique_ptr<HostTiles> tiles, device::Device& device);
    ~StreamedProduct() override { stop(); }
    StreamedProduct(const StreamedProduct&) = delete;
    StreamedProduct& operator=(const StreamedProduct&) = delete;

    void prepare() override { tiles_->prepare(); }
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return tiles_->input(operand, tile);
    }
    std::span<const float> result(TileIndex tile) override { return tiles_->result(tile); }

    /// What the last run has copied to and from the device.
    [[nodiscard]] const Traffic& copied() const { return copied_; }
    [[nodiscard]] HostTiles& tiles() { return *tiles_; }

    /// Time of copying a tile, of several that go in while as many go out; C is lost.
    struct CopyTimes {
        Seconds in;
        Seconds out;
    };
    CopyTimes measure_copies();

    /// On the device.
    static TileMemory tile_memory(const Problem& problem);

  private:
    void begin_run() override;
    void begin_step() override { tiles_->begin_step(); }
    void bring(const Load& load, device::Stream& stream) override;
    void take(TileIndex target, device::View<float> tile, device::Stream& stream) override;
    device::View<const float> elements(std::int64_t slot, TileIndex tile) override;
    void synchronize() override { tiles_->synchronize(); }
    [[nodiscard]] device::View<float> slot(std::int64_t index, TileIndex tile);

    std::unique_ptr<HostTiles> tiles_;
    device::Buffer<float> slots_;
    Traffic copied_;
};

}  // namespace quartet::matmul
