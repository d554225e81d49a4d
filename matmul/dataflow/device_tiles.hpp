#pragma once

#include <memory>

#include "device/device.hpp"
#include "matmul/dataflow/slot_ring.hpp"
#include "matmul/dataflow/worker_tiles.hpp"

namespace quartet::matmul {

/// Tiles that a stream of its own copies from the host's memory to a GPU's, some products ahead.
class DeviceTiles final : public WorkerTiles {
  public:
    /// Allocates `slots` on the device, which is borrowed: two tiles for each product whose tiles
    /// are there or on their way. `source` has tiles in the host's memory.
    DeviceTiles(const Problem& problem, std::unique_ptr<WorkerTiles> source, Bytes slots,
                device::Device& device);

    void prepare() override;

    [[nodiscard]] bool full() const override { return slots_.full(); }
    [[nodiscard]] bool empty() const override { return slots_.empty(); }
    void prefetch(const WorkItem& item) override;
    Tiles oldest(device::Stream& stream) override;
    void release(device::Stream& stream) override;
    void synchronize() override;
    [[nodiscard]] Bytes read() const override { return source_->read(); }
    [[nodiscard]] Bytes copied() const override { return copied_; }

  private:
    struct Slot {
        WorkItem item;
        device::View<float> a;
        device::View<float> b;
        std::unique_ptr<device::Event> filled;
        std::unique_ptr<device::Event> used;
    };

    void copy(device::View<const float> from, device::View<float> to);
    [[nodiscard]] device::View<const float> part_of(device::View<float> slot,
                                                    TileIndex tile) const {
        return slot.part(0, problem_.elements(tile));
    }

    Problem problem_;
    device::Device& device_;
    device::Buffer<float> memory_;
    SlotRing<Slot> slots_;
    Bytes copied_;
    std::unique_ptr<WorkerTiles> source_;
    std::unique_ptr<device::Stream> copying_;
};

}  // namespace quartet::matmul
