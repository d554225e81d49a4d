#pragma once

#include "bench/session/arena.hpp"
#include "matmul/problem/matrix_files.hpp"

namespace quartet::matmul {

/// Slots of the host's memory for the files of tiles, each aligned for direct input.
class FileSlots {
  public:
    FileSlots(bench::Arena& arena, const Problem& problem, std::int64_t count);

    /// A slot that MatrixFiles::read can read to.
    [[nodiscard]] device::View<std::byte> slot(std::int64_t index);
    /// The elements of a tile that was read to a slot.
    [[nodiscard]] device::View<const float> elements(std::int64_t index, TileIndex tile);

  private:
    Problem problem_;
    device::Buffer<std::byte> memory_;
    std::int64_t first_;  ///< byte at which the first slot begins
};

}  // namespace quartet::matmul
