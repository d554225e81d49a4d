#pragma once

#include <memory>
#include <vector>

#include "matmul/tiles/file_slots.hpp"
#include "matmul/tiles/tile_source.hpp"

namespace quartet::matmul {

/// Reads tiles from files into slots of the host's memory, on its own stream.
class FileSource final : public TileSource {
  public:
    /// `block` is what the rank multiplies for: its rows of A and its columns of B are read.
    /// `device` is borrowed.
    FileSource(const Problem& problem, const Block& block, const ProductFiles& files,
               FileSlots memory, std::int64_t slots, device::Device& device);

    void prepare() override;
    void fetch(const Fetch& fetch) override;
    device::View<const float> tile(const Fetch& fetch, device::Stream& stream) override;
    void release(std::int64_t slot, device::Stream& stream) override;
    void synchronize() override { reading_->synchronize(); }
    [[nodiscard]] Bytes fetched() const override { return read_; }
    /// Reads to the first slot, which is free between runs.
    std::span<const float> read(std::string_view matrix, TileIndex tile) override {
        return files_->read(matrix, tile, memory_.slot(0).span());
    }

  private:
    struct Slot {
        std::unique_ptr<device::Event> filled;
        std::unique_ptr<device::Event> used;
    };

    Problem problem_;
    Block block_;
    std::shared_ptr<const MatrixFiles> files_;
    FileSlots memory_;
    std::vector<Slot> slots_;
    Bytes read_;  ///< written by the stream while it reads
    std::unique_ptr<device::Stream> reading_;
};

}  // namespace quartet::matmul
