#include "matmul/dataflow/dataflow_product.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "comm/mpi/shared_folder.hpp"
#include "core/message_of.hpp"
#include "device/accelerator.hpp"
#include "device/blas.hpp"
#include "matmul/plan.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using bench::Formulation;
using testing::HasSubstr;

/// Where a data flow computes, and what moves its partial tiles.
struct Way {
    std::string device;
    std::string transport;

    [[nodiscard]] bool on_gpu() const { return device != "host"; }
};

/// The size of a data flow.
struct Flow {
    std::int64_t size = 0;
    std::int64_t tile = 0;
    int reducers = 1;
    int bound = 16;

    [[nodiscard]] Problem problem() const { return {size, std::min(tile, size), 1}; }
};

class DataflowProductTest : public testing::TestWithParam<Way> {
  protected:
    DataflowProductTest() {
        common.device = GetParam().device;
        common.threads = 1;
        common.formulations = {Formulation::dataflow};
        common.transports = {GetParam().transport};
    }
    void SetUp() override {
        try {
            open_session();
        } catch (const Unavailable& unavailable) {
            GTEST_SKIP() << unavailable.what();
        }
        if (world.size() < 2) {
            GTEST_SKIP() << "a data flow has at least two ranks";
        }
        if (const auto reason =
                session->registry().why_not(GetParam().transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }
    void TearDown() override {
        made.reset();
        world.barrier();
    }
    void open_session() {
        session = std::make_unique<bench::Session>(bench::ProgramDescription{.name = "matmul"},
                                                   common, comm::TransportRegistry::standard());
    }
    void plan(const Flow& flow, const bench::DataOptions& data = {}) {
        made.reset();
        Options options;
        options.data = data;
        options.sizes = {flow.size};
        options.tile = flow.tile;
        options.reducers = flow.reducers;
        common.queue = flow.bound;
        open_session();
        plan_cases(*session, options);
    }
    MultiplyCase& run_twice(const Flow& flow, const bench::DataOptions& data = {}) {
        plan(flow, data);
        made = session->plan().front().make();
        auto& subject = dynamic_cast<MultiplyCase&>(*made);
        bench::Clocks clocks(0);
        for (int run = 0; run < 2; ++run) {  // the second one begins where the first has ended
            subject.prepare();
            world.barrier();
            subject.run(clocks);
            world.barrier();
        }
        return subject;
    }
    static DataflowProduct& product_of(MultiplyCase& subject) {
        return dynamic_cast<DataflowProduct&>(subject.product());
    }
    [[nodiscard]] double sum(Bytes bytes) const {
        return world.sum(static_cast<double>(bytes.value));
    }
    /// What this rank's device makes of a product.
    std::vector<float> multiply(const device::GemmShape& shape, const std::vector<float>& a,
                                const std::vector<float>& b) {
        device::Device& device = session->device();
        device::Stream& stream = session->stream();
        std::vector<float> product(static_cast<std::size_t>(shape.rows * shape.columns));
        const auto on_host = [](auto& values) {
            return device::View(values.data(), std::ssize(values), device::MemoryKind::host);
        };
        const auto on_device = [&](const std::vector<float>& values) {
            auto buffer = device::allocate<float>(device, std::ssize(values));
            device.copy(as_bytes(on_host(values)), as_bytes(buffer.view()), stream);
            return buffer;
        };
        const auto left = on_device(a);
        const auto right = on_device(b);
        auto result = on_device(product);
        device.blas().gemm(shape, left.view(), right.view(), result.view(), device::Update::replace,
                           stream);
        device.copy(as_bytes(std::as_const(result).view()), as_bytes(on_host(product)), stream);
        stream.synchronize();
        return product;
    }
    /// A tile of C, its products made one by one and added in the order of the inner index.
    std::vector<float> sum_in_order(const Problem& problem, TileIndex tile) {
        std::vector<float> sum(static_cast<std::size_t>(problem.elements(tile)));
        for (std::int64_t inner = 0; inner < problem.tiles(); ++inner) {
            const auto tile_of_matrix = [&](const char* matrix, TileIndex index) {
                std::vector<float> elements(static_cast<std::size_t>(problem.elements(index)));
                fill_tile(problem, matrix, index, elements);
                return elements;
            };
            const auto partial = multiply(
                {problem.extent(tile.row), problem.extent(tile.column), problem.extent(inner)},
                tile_of_matrix("A", {tile.row, inner}), tile_of_matrix("B", {inner, tile.column}));
            for (std::size_t at = 0; at < sum.size(); ++at) {
                sum[at] = inner == 0 ? partial[at] : sum[at] + partial[at];
            }
        }
        return sum;
    }

    const comm::Communicator world = comm::Communicator::world();
    const SharedFolder folder{world};
    bench::CommonOptions common;
    std::unique_ptr<bench::Session> session;
    std::unique_ptr<bench::Case> made;
};

TEST_P(DataflowProductTest, AddsTheProductsInTheOrderOfTheInnerIndex) {
    const int most = world.size() - 1;
    for (const Flow& flow : {Flow{60, 13, 1, 16}, Flow{60, 13, most, 1}, Flow{48, 16, most, 2},
                             Flow{41, 50, most, 2},  // one tile, more reducers than tiles
                             Flow{1, 1, 1, 1}}) {
        const Problem problem = flow.problem();
        MultiplyCase& subject = run_twice(flow);
        DataflowProduct& product = product_of(subject);
        EXPECT_TRUE(subject.verify().passed);
        double owned = 0;
        for_each_tile(whole(problem), [&](TileIndex tile) {
            if (product.owns(tile)) {
                EXPECT_TRUE(std::ranges::equal(product.result(tile), sum_in_order(problem, tile)));
                EXPECT_EQ(problem.number(tile) % flow.reducers, world.rank());
                ++owned;
            }
        });
        EXPECT_EQ(world.sum(owned), static_cast<double>(problem.tiles() * problem.tiles()))
            << "each tile has one owner";
    }
}

TEST_P(DataflowProductTest, CopiesTwoTilesInAndOneOutForEachProduct) {
    const Flow flow{60, 13, world.size() - 1, 4};
    DataflowProduct& product = product_of(run_twice(flow));
    const double partials = static_cast<double>(flow.problem().tiles()) *
                            static_cast<double>(flow.problem().matrix_bytes().value);
    EXPECT_EQ(sum(product.copied().read), GetParam().on_gpu() ? 2 * partials : 0);
    EXPECT_EQ(sum(product.copied().written), GetParam().on_gpu() ? partials : 0);
}

TEST_P(DataflowProductTest, ReadsTwoTilesAProductFromFilesAndKeepsC) {
    const Flow flow{60, 13, world.size() - 1, 4};
    const Problem problem = flow.problem();
    MultiplyCase& subject =
        run_twice(flow, {folder.path(), bench::Switch::on, bench::Switch::on, FileCache::drop});
    EXPECT_TRUE(subject.verify().passed);
    DataflowProduct& product = product_of(subject);
    const double matrix = static_cast<double>(problem.matrix_bytes().value);
    EXPECT_EQ(sum(product.traffic().read), 2 * static_cast<double>(problem.tiles()) * matrix);
    EXPECT_EQ(sum(product.traffic().written), matrix);
    const MatrixFiles files(folder.path(), problem, FileCache::warm);
    std::vector<std::byte> file(static_cast<std::size_t>(MatrixFiles::slot_bytes(problem).value));
    for_each_tile(whole(problem), [&](TileIndex tile) {
        if (product.owns(tile)) {
            EXPECT_TRUE(std::ranges::equal(files.read("C", tile, file), product.result(tile)));
        }
    });
}

TEST_P(DataflowProductTest, FailsForAWrongTileOfAReducer) {
    MultiplyCase& subject = run_twice({60, 13, world.size() - 1, 16});
    EXPECT_TRUE(subject.verify().passed);
    if (world.rank() == 0) {
        product_of(subject).results().back() += 1;
    }
    EXPECT_FALSE(subject.verify().passed);
}

TEST_P(DataflowProductTest, ItsLimitRecordsWorkersReducersLinkAndStorage) {
    MultiplyCase& subject = run_twice({60, 13, 1, 16}, {folder.path(), bench::Switch::on});
    subject.prepare_limit();
    std::vector<std::string> names;
    for (const bench::LimitComponent& component : subject.limit()) {
        names.push_back(component.name);
        EXPECT_GT(component.seconds.value, 0) << component.name;
        EXPECT_EQ(component.seconds.value, world.maximum(component.seconds.value));
    }
    std::vector<std::string> expected{"SGEMM", "reducers", "storage"};
    if (GetParam().transport == "mpi") {
        expected.insert(expected.begin() + 2, "link to the reducers");
    }
    if (GetParam().on_gpu()) {
        expected.insert(expected.begin() + 1, "copies to and from GPUs");
    }
    EXPECT_EQ(names, expected);
}

TEST_P(DataflowProductTest, RefusesTooFewRanksAndSaysTheNumberNeeded) {
    EXPECT_THAT(message_of<UsageError>([&] {
                    plan({8, 4, world.size(), 1});
                }),
                HasSubstr("start at least " + std::to_string(world.size() + 1) + " ranks"));
}

TEST_P(DataflowProductTest, TakesTheGpuMemoryThatItsPlanAnnounces) {
    if (!GetParam().on_gpu()) {
        GTEST_SKIP() << "the host has no memory of its own to be counted";
    }
    const auto free = [&] {
        world.barrier();
        const Bytes bytes = session->device().accelerator()->memory().free;
        world.barrier();
        return bytes;
    };
    common.limits = bench::Switch::off;
    const Flow flow{600, 130, 1, 4};
    plan(flow);
    session->transport(GetParam().transport);
    const Bytes before = free();
    made = session->plan().front().make();
    const Bytes taken = before - free();
    const Bytes planned = session->plan().front().device_memory;
    // A worker's probe of its arithmetic leaves three matrices of a tile's edge to later
    // allocations.
    const Bytes tile = flow.problem().tile_bytes();
    EXPECT_GE(taken, planned);
    EXPECT_LT(taken, planned + (world.rank() > 0 ? 3 * tile : Bytes{}) + tile);  // whole pages
}

INSTANTIATE_TEST_SUITE_P(Ways, DataflowProductTest,
                         testing::Values(Way{"host", "mpi"}, Way{"host", "shm"}, Way{"cuda", "mpi"},
                                         Way{"cuda", "staged"}, Way{"cuda", "ipc"}),
                         [](const auto& instance) {
                             return instance.param.device + "_" + instance.param.transport;
                         });

}  // namespace
}  // namespace quartet::matmul
