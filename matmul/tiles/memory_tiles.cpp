#include "matmul/tiles/memory_tiles.hpp"

namespace quartet::matmul {

MemoryTiles::MemoryTiles(const Problem& problem, const std::vector<Block>& blocks,
                         const Block& block, const comm::Topology& topology, device::Device& device,
                         int threads)
    : problem_(problem),
      block_(block),
      device_(device),
      operands_(problem, blocks, topology, Sharing::own_copy, device, threads),
      results_(device::allocate<float>(
          device,
          elements_of(problem, block.rows).size() * elements_of(problem, block.columns).size(),
          device::MemoryKind::pinned)) {}

void MemoryTiles::fetch(Operand operand, TileIndex tile, device::View<float> to,
                        device::Stream& stream) {
    device_.copy(as_bytes(operands_.tile(operand, tile)), as_bytes(to), stream);
}

void MemoryTiles::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    device_.copy(as_bytes(from), as_bytes(place_of(tile)), stream);
}

device::View<float> MemoryTiles::place_of(TileIndex tile) {
    const std::int64_t rows = elements_of(problem_, block_.rows).size();
    const std::int64_t before =
        elements_of(problem_, {block_.columns.begin, tile.column}).size() * rows;
    const std::int64_t above =
        elements_of(problem_, {block_.rows.begin, tile.row}).size() * problem_.extent(tile.column);
    return results_.view().part(before + above, problem_.elements(tile));
}

std::span<const float> MemoryTiles::input(Operand operand, TileIndex tile) {
    return operands_.tile(operand, tile).span();
}

std::span<const float> MemoryTiles::result(TileIndex tile) {
    return place_of(tile).span();
}

}  // namespace quartet::matmul
