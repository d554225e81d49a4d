#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
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

    [[nodiscard]] bool full() const override { return begun_ - done_ == std::ssize(slots_); }
    [[nodiscard]] bool empty() const override { return begun_ == done_; }
    void prefetch(const WorkItem& item) override;
    Tiles oldest(device::Stream& stream) override;
    void release(device::Stream& stream) override;
    void synchronize() override { reading_->synchronize(); }
    [[nodiscard]] Bytes read() const override { return read_; }

  private:
    struct Slot {
        WorkItem item;
        std::unique_ptr<device::Event> loaded;
        std::unique_ptr<device::Event> used;
    };

    [[nodiscard]] Slot& slot(std::int64_t number) {
        return slots_[static_cast<std::size_t>(number % std::ssize(slots_))];
    }
    /// The slot for a file of a product.
    [[nodiscard]] std::int64_t file_slot(std::int64_t number, Operand operand) const {
        return 2 * (number % std::ssize(slots_)) + (operand == Operand::a ? 0 : 1);
    }
    void read_tile(Operand operand, TileIndex tile);

    Problem problem_;
    const TileFiles& files_;
    FileSlots tiles_;
    std::vector<Slot> slots_;
    std::int64_t begun_ = 0;  ///< products
    std::int64_t done_ = 0;
    Bytes read_;  ///< written by the stream while it reads
    std::unique_ptr<device::Stream> reading_;
};

}  // namespace quartet::matmul
