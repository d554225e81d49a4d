#include "fft/problem/block_reader.hpp"

#include "core/block_range.hpp"

namespace quartet::fft {

BlockReader::BlockReader(const bench::TileFolder<Point>& tiles, const Problem& problem,
                         const Range& block, const bench::DataOptions& data)
    : tiles_(problem.tiles),
      block_(block),
      reader_(tiles, problem, {0, problem.tiles}, data),
      staging_(static_cast<std::size_t>(staged_points(problem, block.size()))) {}

std::int64_t BlockReader::staged_points(const Problem& problem, std::int64_t block) {
    return block / problem.tiles + 1;
}

void BlockReader::read(std::span<Point> points) {
    for (std::int64_t tile = 0; tile < tiles_; ++tile) {
        // Points n = tile + T m of the block have m from the first on that is not below it.
        const std::int64_t first = (block_.begin - tile + tiles_ - 1) / tiles_;
        const std::int64_t begin = tile + tiles_ * first - block_.begin;
        if (begin >= block_.size()) {
            continue;
        }
        const std::int64_t count = (block_.size() - begin + tiles_ - 1) / tiles_;
        const auto part = std::span(staging_).first(static_cast<std::size_t>(count));
        reader_.read_part(tile, first, part);
        for (std::int64_t index = 0; index < count; ++index) {
            points[static_cast<std::size_t>(begin + tiles_ * index)] =
                part[static_cast<std::size_t>(index)];
        }
    }
}

}  // namespace quartet::fft
