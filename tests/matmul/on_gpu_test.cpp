#include <gmock/gmock.h>

#include <optional>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "device/cuda/cuda_device.hpp"
#include "matmul/native.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::HasSubstr;

/// On a GPU, or over the fake of one: whichever is linked.
class OnGpu : public testing::Test {
  protected:
    void SetUp() override {
        const device::DeviceKind kind = device::cuda_device();
        if (const auto reason = kind.why_not()) {
            GTEST_SKIP() << *reason;
        }
        device = kind.make({}, trace);
        stream = device->make_stream("compute");
        arena.emplace(*device, device::Arena::Mode::allocate);
    }
    template <typename Made>
    void expect_product(Made& product) {
        for_each_tile(block, [&](TileIndex tile) {
            EXPECT_LT(largest_difference(problem, reference, tile, product.result(tile)), 1e-6);
        });
    }
    [[nodiscard]] OperandLayout layout() const {
        return {problem, blocks, world.rank(), topology, OperandCopies::per_rank};
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const Problem problem{70, 16, 5};  // ragged
    const std::vector<Block> blocks = partition(problem, world.size());
    const Block block = blocks[static_cast<std::size_t>(world.rank())];
    const std::vector<double> reference =
        matmul::product(problem, whole_matrix(problem, "A"), whole_matrix(problem, "B"));
    Trace trace;
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Stream> stream;
    std::optional<device::Arena> arena;
};

class InCore : public OnGpu, public testing::WithParamInterface<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Heights, InCore, testing::Values(3, 16, 100));

TEST_P(InCore, IsTheProductInEveryRunAndCopiesOnce) {
    InCoreProduct made(*arena, problem, layout(), GetParam(), topology.node());
    made.set_up();
    for (int run = 0; run < 2; ++run) {
        made.prepare();
        made.run(*stream);
        expect_product(made);
        for_each_tile(block, [&](TileIndex tile) {  // so that the second run is seen
            const auto found = made.result(tile);
            std::fill_n(const_cast<float*>(found.data()), found.size(), -1.0F);
        });
        EXPECT_EQ(made.copied().read, least_traffic(problem, block).read);
        EXPECT_EQ(made.copied().written, least_traffic(problem, block).written);
    }
}

class PanelsOnGpu : public OnGpu, public testing::WithParamInterface<Blocking> {
  protected:
    [[nodiscard]] PanelPlan plan(bool in_files) const {
        return {.blocking = GetParam(),
                .traffic = planned_traffic(problem, block, GetParam()),
                .places = {.in_files = in_files, .on_gpu = true}};
    }
    void run_twice(PanelProduct& product) {
        const Traffic planned = plan(false).traffic;
        for (int run = 0; run < 2; ++run) {
            product.prepare();
            product.run(*stream);
            expect_product(product);
            EXPECT_EQ(product.copied().read, planned.read);
            EXPECT_EQ(product.copied().written, planned.written);
        }
    }
    TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Ways, PanelsOnGpu,
                         testing::Values(Blocking{1, 1}, Blocking{5, 5}, Blocking{2, 1},
                                         Blocking{2, 3}));

TEST_P(PanelsOnGpu, IsTheProductOfTilesInMemoryInEveryRun) {
    PanelProduct product(*arena, problem, block, plan(false), {},
                         std::make_unique<HostInputs>(*arena, problem, layout(), topology.node()));
    product.set_up();
    run_twice(product);
}

TEST_P(PanelsOnGpu, IsTheProductOfTilesInFilesAndNamesOneThatCannotBeRead) {
    write_files(problem, folder.path());
    PanelProduct product(
        *arena, problem, block, plan(true),
        ProductFiles{std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm)},
        nullptr);
    run_twice(product);
    EXPECT_EQ(product.traffic().read, product.copied().read);
    EXPECT_EQ(product.traffic().written, product.copied().written);
    const std::string name = tile_file("B", 3, block.columns.begin);
    std::filesystem::resize_file(folder / name, 200);
    product.prepare();
    EXPECT_THAT(message_of<NpyError>([&] { product.run(*stream); }), HasSubstr(name));
}

}  // namespace
}  // namespace quartet::matmul
