#include "matmul/tiles/memory_tiles.hpp"

namespace quartet::matmul {

MemoryTiles::MemoryTiles(const Problem& problem, const ResidentLayout& layout,
                         const comm::Communicator& node, device::Device& device, int threads)
    : problem_(problem),
      block_(layout.operands.block),
      device_(device),
      operands_(problem, layout.operands, node, device, threads),
      results_(
          device::allocate<float>(device, floats_in(layout.results), device::MemoryKind::pinned)) {}

void MemoryTiles::fetch(Operand operand, TileIndex tile, device::View<float> to,
                        device::Stream& stream) {
    device_.copy(as_bytes(operands_.tile(operand, tile)), as_bytes(to), stream);
}

void MemoryTiles::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    device_.copy(as_bytes(from), as_bytes(result_view(tile)), stream);
}

device::View<float> MemoryTiles::result_view(TileIndex tile) {
    return results_.view().part(offset_in_block(problem_, block_, tile), problem_.elements(tile));
}

std::span<const float> MemoryTiles::input(Operand operand, TileIndex tile) {
    return operands_.tile(operand, tile).span();
}

std::span<const float> MemoryTiles::result(TileIndex tile) {
    return result_view(tile).span();
}

}  // namespace quartet::matmul
