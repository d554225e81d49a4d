#include "matmul/native/resident_product.hpp"

#include "device/blas.hpp"

namespace quartet::matmul {

ResidentProduct::ResidentProduct(const Problem& problem, const ResidentLayout& layout,
                                 const comm::Communicator& node, device::Device& device,
                                 int threads)
    : problem_(problem),
      block_(layout.operands.block),
      device_(device),
      operands_(problem, layout.operands, node, device, threads),
      results_(
          device::allocate<float>(device, floats_in(layout.results), device::MemoryKind::host)) {}

// The inner index goes forth and back, so that the A panel used last serves again.
void ResidentProduct::run(device::Stream& stream) {
    const std::int64_t rows = elements_of(problem_, block_.rows).size();
    const std::int64_t inner_tiles = problem_.tiles();
    for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
        const std::int64_t width = problem_.extent(column);
        const std::int64_t first = offset_in_block(problem_, block_, {block_.rows.begin, column});
        const auto target = results_.view().part(first, rows * width);
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
    return std::as_const(results_)
        .view()
        .part(offset_in_block(problem_, block_, tile), problem_.elements(tile))
        .span();
}

std::string ResidentProduct::note() const {
    return operands_.copies() == OperandCopies::per_node ? "tiles in a shared window"
                                                         : "each rank its own tiles";
}

}  // namespace quartet::matmul
