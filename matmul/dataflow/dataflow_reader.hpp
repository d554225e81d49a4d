#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "matmul/tiles/tile_files.hpp"

namespace quartet::matmul {

/// The tiles of A and B that a worker of the data flow multiplies, read from files by a stream of
/// its own, some products ahead of the one that is multiplied: "each loads A(i,k), B(k,j)" (VI.B).
/// Tiles are read anew for each product, as published. Used by the main thread only.
class DataflowReader {
  public:
    /// Products whose tiles may be there or on their way beside those being multiplied.
    static constexpr int default_lookahead = 2;

    /// `files` and `device` are borrowed.
    DataflowReader(const Problem& problem, const TileFiles& files, device::Device& device,
                   int lookahead);
    static Bytes memory(const Problem& problem, int lookahead);

    /// Before each run: forgets what was read, and has the page cache forget all tiles where they
    /// are to come from the disk.
    void prepare();

    /// A product C(i,j) += A(i,k) B(k,j).
    struct Product {
        std::int64_t number = 0;
        TileIndex a;
        TileIndex b;
    };
    [[nodiscard]] bool full() const { return begun_ - done_ == std::ssize(slots_); }
    [[nodiscard]] bool empty() const { return begun_ == done_; }
    /// Begins to read a product's tiles; not while full().
    void begin(const Product& product);

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
        Product product;
        std::unique_ptr<device::Event> loaded;
        std::unique_ptr<device::Event> used;
    };

    [[nodiscard]] Slot& slot(std::int64_t number) {
        return slots_[static_cast<std::size_t>(number % std::ssize(slots_))];
    }
    /// Where the file of A (half 0) or B (half 1) of a slot lies.
    [[nodiscard]] device::View<std::byte> half(std::int64_t number, int half);
    [[nodiscard]] device::View<const float> elements(std::int64_t number, int half, TileIndex tile);
    void load(std::string_view matrix, TileIndex tile, device::View<std::byte> target);

    Problem problem_;
    const TileFiles& files_;
    device::Buffer<std::byte> memory_;
    std::vector<Slot> slots_;
    std::int64_t begun_ = 0;  ///< products
    std::int64_t done_ = 0;
    Bytes read_;  ///< the stream's while it reads
    std::unique_ptr<device::Stream> reading_;
};

}  // namespace quartet::matmul
