#include "matmul/native/resident_product.hpp"

#include "device/blas.hpp"

namespace quartet::matmul {

ResidentProduct::ResidentProduct(const Problem& problem, const std::vector<Block>& blocks,
                                 const Block& block, const comm::Topology& topology,
                                 Sharing sharing, device::Device& device, int threads)
    : problem_(problem),
      block_(block),
      sharing_(sharing),
      device_(device),
      operands_(problem, blocks, topology, sharing, device, threads),
      results_(device::allocate<float>(
          device,
          elements_of(problem, block.rows).size() * elements_of(problem, block.columns).size(),
          device::MemoryKind::host)) {}

std::int64_t ResidentProduct::panel_begin(std::int64_t column) const {
    return elements_of(problem_, {block_.columns.begin, column}).size() *
           elements_of(problem_, block_.rows).size();
}

// The inner index goes forth and back, so that the A panel used last serves again.
void ResidentProduct::run(device::Stream& stream) {
    const std::int64_t rows = elements_of(problem_, block_.rows).size();
    const std::int64_t inner_tiles = problem_.tiles();
    for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
        const std::int64_t width = problem_.extent(column);
        const auto target = results_.view().part(panel_begin(column), rows * width);
        for (std::int64_t step = 0; step < inner_tiles && rows > 0; ++step) {
            const bool forth = (column - block_.columns.begin) % 2 == 0;
            const std::int64_t inner = forth ? step : inner_tiles - 1 - step;
            device_.blas().gemm({rows, width, problem_.extent(inner)}, operands_.a_rows(inner),
                                operands_.tile(Operand::b, {inner, column}), target,
                                step == 0 ? device::Update::replace : device::Update::accumulate,
                                stream);
        }
    }
    stream.synchronize();
}

std::span<const float> ResidentProduct::input(Operand operand, TileIndex tile) {
    return operands_.tile(operand, tile).span();
}

std::span<const float> ResidentProduct::result(TileIndex tile) {
    const std::int64_t first =
        elements_of(problem_, {block_.rows.begin, tile.row}).size() * problem_.extent(tile.column);
    return std::as_const(results_)
        .view()
        .part(panel_begin(tile.column) + first, problem_.elements(tile))
        .span();
}

std::string ResidentProduct::note() const {
    return sharing_ == Sharing::one_copy ? "tiles in a shared window" : "each rank its own tiles";
}

Bytes ResidentProduct::result_memory(const Problem& problem, const Block& block) {
    return bytes_of<float>(elements_of(problem, block.rows).size() *
                           elements_of(problem, block.columns).size());
}

}  // namespace quartet::matmul
