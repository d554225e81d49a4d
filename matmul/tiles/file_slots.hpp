#pragma once

#include "device/device.hpp"
#include "matmul/tiles/tile_files.hpp"

namespace quartet::matmul {

/// Slots for the files of tiles in one buffer, each aligned for direct input.
class FileSlots {
  public:
    /// As many slots as `memory` holds.
    FileSlots(const Problem& problem, Bytes memory, device::Device& device,
              device::MemoryKind kind);
    /// The memory that so many slots take.
    static Bytes memory(const Problem& problem, std::int64_t slots);

    [[nodiscard]] std::int64_t size() const { return slots_; }
    /// A slot that TileFiles::read can read to.
    [[nodiscard]] device::View<std::byte> slot(std::int64_t index);
    /// The elements of a tile that was read to a slot.
    [[nodiscard]] device::View<const float> elements(std::int64_t index, TileIndex tile);

  private:
    Problem problem_;
    std::int64_t slots_;
    device::Buffer<std::byte> memory_;
    std::int64_t first_;  ///< byte at which the first slot begins
};

}  // namespace quartet::matmul
