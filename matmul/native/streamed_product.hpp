#pragma once

#include <memory>

#include "matmul/native/scheduled_product.hpp"
#include "matmul/tiles/host_tiles.hpp"

namespace quartet::matmul {

/// The product through the bounded memory of a GPU: tiles of A and B are copied in ahead of the
/// products, tiles of C copied out behind them, on streams of their own. The host's memory, or the
/// disk behind it, bounds the matrices; the GPU's does not.
class StreamedProduct final : public ScheduledProduct {
  public:
    /// Allocates buffers_of(blocking, tile_memory(problem)) on the device, which is borrowed.
    StreamedProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                    std::unique_ptr<HostTiles> tiles, device::Device& device);
    ~StreamedProduct() override { stop(); }
    StreamedProduct(const StreamedProduct&) = delete;
    StreamedProduct& operator=(const StreamedProduct&) = delete;

    void prepare() override { tiles_->prepare(); }
    void measure_rates() override;
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return tiles_->input(operand, tile);
    }
    std::span<const float> result(TileIndex tile) override { return tiles_->result(tile); }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return tiles_->input_memory();
    }
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// What the last run has copied to and from the device.
    [[nodiscard]] const Traffic& copied() const { return copied_; }

    /// Time of copying one tile while copies go both ways.
    struct CopyTimes {
        Seconds in;
        Seconds out;
    };
    /// Of measure_rates(); 0 before that, for tiles in files, and on ranks without work.
    [[nodiscard]] const CopyTimes& copy_times() const { return copy_times_; }

    /// What one tile takes on the device.
    static TileMemory tile_memory(const Problem& problem);

  private:
    StreamedProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                    const TileBuffers& buffers, std::unique_ptr<HostTiles> tiles,
                    device::Device& device);
    void begin_run() override;
    void begin_product() override { tiles_->begin_product(); }
    void fetch(const Prefetch& prefetch, device::Stream& stream) override;
    void store(TileIndex target, device::View<float> tile, device::Stream& stream) override;
    void end_part(device::Stream& /*stream*/) override { tiles_->end_part(); }
    device::View<const float> elements(std::int64_t slot, TileIndex tile) override;
    void synchronize() override { tiles_->synchronize(); }
    [[nodiscard]] device::View<float> slot(std::int64_t index, TileIndex tile);

    std::unique_ptr<HostTiles> tiles_;
    device::Buffer<float> slots_;
    Traffic copied_;
    CopyTimes copy_times_;
};

}  // namespace quartet::matmul
