#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "matmul/tiles/file_slots.hpp"

namespace quartet::matmul {

/// The tiles of A and B that a worker of the data flow multiplies, read from files by a stream of
/// its own, some products ahead of the one that is multiplied: "each loads A(i,k), B(k,j)" (VI.B).
/// Tiles are read anew for each product, as published. Used by the main thread only.
class DataflowReader {
  public:
    /// Allocates `slots`, two for each product whose tiles are there or on their way. `files` and
    /// `device` are borrowed.
    DataflowReader(const Problem& problem, const TileFiles& files, Bytes slots,
                   device::Device& device);

    /// Before each run: resets what was read. With --cache drop the page cache forgets all tiles.
    void prepare();

    /// A product C(i,j) += A(i,k) B(k,j).
    struct WorkItem {
        std::int64_t number = 0;
        TileIndex a;
        TileIndex b;
    };
    [[nodiscard]] bool full() const { return begun_ - done_ == std::ssize(slots_); }
    [[nodiscard]] bool empty() const { return begun_ == done_; }
    /// Begins to read a product's tiles. Throws Failure while full().
    void prefetch(const WorkItem& item);

    struct Tiles {
        std::int64_t number = 0;  ///< of their product
        device::View<const float> a;
        device::View<const float> b;
    };
    /// The tiles of the product begun longest ago, there for the stream's later work.
    Tiles oldest(device::Stream& stream);
    /// Says that the stream's work so far is the last that uses them.
    void release(device::Stream& stream);
    /// Throws what reading has thrown.
    void synchronize() { reading_->synchronize(); }

    /// In this run.
    [[nodiscard]] Bytes read() const { return read_; }

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
