#include "matmul/native/resident_product.hpp"

#include "device/blas.hpp"

namespace quartet::matmul {

ResidentProduct::ResidentProduct(const Problem& problem, const OperandLayout& layout,
                                 const comm::Communicator& node, device::Device& device,
                                 int threads)
    : problem_(problem),
      block_(layout.block),
      device_(device),
      arena_(device),
      inputs_(problem, layout, node, device, threads),
      results_(arena_, problem, layout.block, device) {}

// The inner index goes back and forth, so that the A panel used last serves again.
void ResidentProduct::run(device::Stream& stream) {
    const std::int64_t rows = elements_of(problem_, block_.rows).size();
    const std::int64_t inner_tiles = problem_.tiles();
    for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
        const auto target = results_.column(column);
        for (std::int64_t step = 0; step < inner_tiles && rows > 0; ++step) {
            const bool forth = (column - block_.columns.begin) % 2 == 0;
            const std::int64_t inner = forth ? step : inner_tiles - 1 - step;
            device_.blas().gemm(
                {rows, problem_.extent(column), problem_.extent(inner)}, inputs_.a_rows(inner),
                inputs_.tile(Operand::b, {inner, column}), target,
                step == 0 ? device::Update::replace : device::Update::accumulate, stream);
        }
    }
    stream.synchronize();
}

}  // namespace quartet::matmul
