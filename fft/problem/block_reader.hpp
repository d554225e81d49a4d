#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fft/problem/files.hpp"

namespace quartet::fft {

/// A block of x in natural order, read from the files of tiles x[t::T], each of which has every
/// T-th of its points.
class BlockReader {
  public:
    /// Reads the headers. Throws NpyError.
    BlockReader(const bench::TileFolder<Point>& tiles, const Problem& problem, const Range& block,
                const bench::DataOptions& data);
    /// Points of memory that it takes.
    static std::int64_t staged_points(const Problem& problem, std::int64_t block);

    /// Has the files where the next reading is to find them.
    void prepare() const { reader_.prepare(); }
    /// Reads the whole block; allocates nothing. Throws Failure that names a file.
    void read(std::span<Point> points);

  private:
    std::int64_t tiles_;
    Range block_;
    TileFileReader reader_;
    std::vector<Point> staging_;  ///< what the block has of one tile
};

}  // namespace quartet::fft
