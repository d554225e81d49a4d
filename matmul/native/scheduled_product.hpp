#pragma once

#include <memory>
#include <string>
#include <vector>

#include "matmul/native/tile_schedule.hpp"
#include "matmul/tiles/tiles_in_memory.hpp"

namespace quartet::matmul {

/// A product in bounded memory, in the order of a TileSchedule. One stream fetches tiles of A and B
/// ahead into slots, another one stores complete tiles of C, both beside the products. A slot is
/// filled again when the last product that uses it is done; a slot of C is used again when the tile
/// before is stored.
///
/// On the host, tiles are read from files and written to them. On a GPU they are copied from and to
/// the host's memory, so that this, or the disk behind it, bounds the matrices: tiles in files pass
/// through a few slots of the host.
class ScheduledProduct final : public Product {
  public:
    /// Its memory but for A, B and C themselves.
    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem, const BoundedPlan& plan);

        FileSlots file_slots;
        device::Buffer<float> staged;  ///< tiles of C between a GPU and their files
        device::Buffer<float> device_slots;
        device::Buffer<float> held;  ///< tiles of C
    };

    /// A product from files. The device is borrowed.
    ScheduledProduct(const Problem& problem, const Block& block, const BoundedPlan& plan,
                     const ProductFiles& files, device::Device& device);
    /// A product from memory, which is allocated: what `layout` says, and a MemorySink. Collective
    /// over `node`.
    ScheduledProduct(const Problem& problem, const BoundedPlan& plan, const OperandLayout& layout,
                     const comm::Communicator& node, device::Device& device, int threads);

    void prepare() override;
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return host_->read(name(operand), tile);
    }
    std::span<const float> result(TileIndex tile) override { return sink_->result(tile, *host_); }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return host_->memory();
    }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// Bytes that the last run read from files and wrote to them, counted where it was done.
    [[nodiscard]] Traffic traffic() const { return {host_->fetched(), sink_->written()}; }
    /// Bytes that the last run copied to and from a GPU.
    [[nodiscard]] Traffic copied() const {
        return on_gpu_ ? Traffic{on_gpu_->fetched(), stored_} : Traffic{};
    }

  private:
    struct HeldTile {
        device::View<float> memory;
        std::unique_ptr<device::Event> complete;
        std::unique_ptr<device::Event> stored;
    };

    ScheduledProduct(const Problem& problem, const Block& block, const BoundedPlan& plan,
                     device::Device& device);
    void add_gpu();
    [[nodiscard]] TileSource& nearest() { return on_gpu_ ? *on_gpu_ : *host_; }
    void fetch(const TileProduct& product);
    void multiply(const TileProduct& product, device::Stream& stream);
    void finish(device::Stream& stream);

    Problem problem_;
    BoundedPlan plan_;
    device::Device& device_;
    bench::Arena arena_;
    Buffers buffers_;
    TileSchedule schedule_;
    std::int64_t passed_ = 0;  ///< tiles in files before a GPU
    std::vector<HeldTile> held_;
    std::vector<TileProduct> ahead_;  ///< a ring of products whose tiles are being fetched
    std::unique_ptr<TileSource> host_;
    std::unique_ptr<DeviceSource> on_gpu_;
    std::unique_ptr<TileSink> sink_;
    Bytes stored_;
    std::unique_ptr<device::Stream> storing_;
};

}  // namespace quartet::matmul
