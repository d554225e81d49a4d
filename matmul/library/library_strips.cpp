#include "matmul/library/library_strips.hpp"

#include <algorithm>
#include <utility>

namespace quartet::matmul {

LibraryStrips::LibraryStrips(const Problem& problem, int ranks, int rank, const BlacsSystem& system,
                             device::Buffer<float> memory)
    : problem_(problem),
      ranks_(ranks),
      mine_(strip_of(problem, ranks, rank)),
      grid_(system, 1, ranks),
      memory_(std::move(memory)) {
    tile_.reserve(static_cast<std::size_t>(floats_in(problem.tile_bytes())));
}

// The first strip is the largest.
std::int64_t LibraryStrips::most_elements(const Problem& problem, int ranks) {
    return elements_in(problem, strip_of(problem, ranks, 0));
}

// Some rows at a time, which bounds what the library takes for it.
void LibraryStrips::for_some_rows(const MoveRows& move) const {
    const std::int64_t height = elements_of(problem_, strip_of(problem_, ranks_, 0).rows).size();
    Descriptor strips = describe(problem_.size, problem_.size, height, grid_, problem_.size);
    const std::int64_t most = std::max<std::int64_t>(redistributed_at_a_time / problem_.size, 1);
    for (std::int64_t first = 0; first < problem_.size; first += most) {
        move(static_cast<int>(std::min(most, problem_.size - first)), static_cast<int>(first + 1),
             strips);
    }
}

void LibraryStrips::collect(const LibraryBlocks& from) {
    Descriptor blocks = from.descriptor;
    for_some_rows([&](int rows, int begin, Descriptor& strips) {
        Cpsgemr2d(static_cast<int>(problem_.size), rows, from.elements.data(), 1, begin,
                  blocks.data(), memory_.span().data(), 1, begin, strips.data(), from.context);
    });
}

void LibraryStrips::distribute(const LibraryBlocks& to) {
    Descriptor blocks = to.descriptor;
    for_some_rows([&](int rows, int begin, Descriptor& strips) {
        Cpsgemr2d(static_cast<int>(problem_.size), rows, memory_.span().data(), 1, begin,
                  strips.data(), to.elements.data(), 1, begin, blocks.data(), to.context);
    });
}

// A row of a tile within the strip.
std::span<float> LibraryStrips::line(TileIndex tile, std::int64_t number) {
    const std::int64_t above = elements_of(problem_, {mine_.rows.begin, tile.row}).size();
    const std::int64_t begin = (above + number) * problem_.size + problem_.begin(tile.column);
    return memory_.span().subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(problem_.extent(tile.column)));
}

std::span<const float> LibraryStrips::tile(TileIndex index) {
    tile_.resize(static_cast<std::size_t>(problem_.elements(index)));
    auto target = tile_.begin();
    for (std::int64_t number = 0; number < problem_.extent(index.row); ++number) {
        target = std::ranges::copy(line(index, number), target).out;
    }
    return tile_;
}

void LibraryStrips::put(TileIndex index, std::span<const float> elements) {
    for (std::int64_t number = 0; number < problem_.extent(index.row); ++number) {
        const auto target = line(index, number);
        std::ranges::copy(elements.first(target.size()), target.begin());
        elements = elements.subspan(target.size());
    }
}

}  // namespace quartet::matmul
