#pragma once

#include <memory>

#include "device/device.hpp"
#include "matmul/dataflow/slot_ring.hpp"
#include "matmul/dataflow/worker_tiles.hpp"
#include "matmul/tiles/file_slots.hpp"

namespace quartet::matmul {

/// Tiles that a stream of its own reads from files into the host's memory, some products ahead.
class FileTiles final : public WorkerTiles {
  public:
    /// Allocates `slots`, two for each product whose tiles are there or on their way. `files` and
    /// `device` are borrowed.
    FileTiles(const Problem& problem, const TileFiles& files, Bytes slots, device::Device& device);

    /// With --cache drop the page cache forgets all tiles.
    void prepare() override;

    [[nodiscard]] bool full() const override { return slots_.full(); }
    [[nodiscard]] bool empty() const override { return slots_.empty(); }
    void prefetch(const WorkItem& item) override;
    Tiles oldest(device::Stream& stream) override;
    void release(device::Stream& stream) override;
    void synchronize() override { reading_->synchronize(); }
    [[nodiscard]] Bytes read() const override { return read_; }

  private:
    struct Slot {
        std::int64_t first = 0;  ///< of its two in tiles_: of A, then of B
        WorkItem item;
        std::unique_ptr<device::Event> loaded;
        std::unique_ptr<device::Event> used;
    };

    void read_tile(Operand operand, TileIndex tile, std::int64_t file_slot);

    Problem problem_;
    const TileFiles& files_;
    FileSlots tiles_;
    SlotRing<Slot> slots_;
    Bytes read_;  ///< written by the stream while it reads
    std::unique_ptr<device::Stream> reading_;
};

}  // namespace quartet::matmul
