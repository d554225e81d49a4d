#include "matmul/tiles/tiles_in_memory.hpp"

#include <gmock/gmock.h>

#include "core/trace.hpp"
#include "device/host/host_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

class MemorySourceTest : public testing::TestWithParam<OperandCopies> {
  protected:
    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
};

INSTANTIATE_TEST_SUITE_P(Ways, MemorySourceTest,
                         testing::Values(OperandCopies::per_node, OperandCopies::per_rank),
                         [](const auto& way) {
                             return way.param == OperandCopies::per_node ? "one_copy" : "own_copy";
                         });

TEST_P(MemorySourceTest, HoldEveryTileThatTheRankNeeds) {
    for (const Problem& problem : {Problem{37, 10, 3}, Problem{8, 8, 3}, Problem{1, 1, 3}}) {
        const auto blocks = partition(problem, world.size());
        const Block& block = blocks[static_cast<std::size_t>(world.rank())];
        const MemorySource operands(
            problem, lay_out_operands(problem, blocks, world.rank(), topology, GetParam()),
            topology.node(), *device, 2);
        const Matrix a = whole_matrix(problem, "A");
        const Matrix b = whole_matrix(problem, "B");
        for (std::int64_t inner = 0; inner < problem.tiles() && !block.empty(); ++inner) {
            std::vector<float> rows;
            for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
                const auto wanted = tile_of(problem, a, {row, inner});
                const auto found = operands.tile(Operand::a, {row, inner}).span();
                EXPECT_TRUE(std::ranges::equal(found, wanted));
                rows.insert(rows.end(), wanted.begin(), wanted.end());
            }
            EXPECT_TRUE(std::ranges::equal(operands.a_rows(inner).span(), rows));
            for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
                EXPECT_TRUE(std::ranges::equal(operands.tile(Operand::b, {inner, column}).span(),
                                               tile_of(problem, b, {inner, column})));
            }
        }
        world.barrier();
    }
}

TEST_P(MemorySourceTest, NeedEachTileOnceInMemory) {
    const Problem problem{4096, 1024, 3};  // tiles of whole pages
    const auto blocks = partition(problem, world.size());
    bench::Arena memory;
    lay_out_operands(problem, blocks, world.rank(), topology, GetParam()).count(memory);
    if (GetParam() == OperandCopies::per_node) {
        EXPECT_EQ(memory.host(), memory.in(bench::Room::host_window));
        EXPECT_EQ(world.sum(static_cast<double>(memory.host().value)),
                  static_cast<double>(2 * problem.matrix_bytes().value))
            << "A and B, once";
    } else {
        const Block& block = blocks[static_cast<std::size_t>(world.rank())];
        EXPECT_EQ(memory.in(bench::Room::host_window), Bytes{});
        const std::int64_t edges =
            elements_of(problem, block.rows).size() + elements_of(problem, block.columns).size();
        EXPECT_EQ(memory.host(), block.empty() ? Bytes{} : bytes_of<float>(problem.size * edges));
    }
}

}  // namespace
}  // namespace quartet::matmul
