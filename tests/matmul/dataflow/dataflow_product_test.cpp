#include "matmul/dataflow/dataflow_product.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "core/files/tiles.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "device/accelerator.hpp"
#include "device/blas.hpp"
#include "matmul/dataflow/dataflow_ways.hpp"
#include "matmul/multiply_case.hpp"
#include "matmul/plan.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using bench::Formulation;
using testing::HasSubstr;

/// A shape of the data flow over a transport.
struct Flow {
    std::int64_t size = 0;
    std::int64_t tile = 0;
    int reducers = 1;
    int bound = 16;
    WorkSchedule schedule = WorkSchedule::fixed;
};

/// How it has its tiles in files.
struct Files {
    FileCache cache = FileCache::warm;
    bench::Switch keep = bench::Switch::off;
    std::optional<int> lookahead = std::nullopt;
};

class DataflowProductTest : public testing::TestWithParam<DataflowWay> {
  protected:
    DataflowProductTest() {
        common.device = GetParam().device;
        common.reducer_device = GetParam().reducer_device;
        common.threads = 1;
        common.formulations = {Formulation::dataflow};
        common.transports = {GetParam().transport};
    }
    void SetUp() override {
        try {
            session = std::make_unique<bench::Session>(bench::ProgramDescription{.name = "matmul"},
                                                       common, comm::TransportRegistry::standard());
        } catch (const Unavailable& unavailable) {
            GTEST_SKIP() << unavailable.what();
        }
        if (session->world().size() < 2) {
            GTEST_SKIP() << "a data flow has at least two ranks";
        }
        if (const auto reason =
                session->registry().why_not(GetParam().transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }

    MultiplyCase& run_once(const Flow& flow, const std::optional<Files>& files = std::nullopt) {
        plan(flow, files);
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
    void plan(const Flow& flow, const std::optional<Files>& files = std::nullopt) {
        made.reset();
        Options options;
        common.lookahead.reset();
        if (files) {
            options.data = {folder(), bench::Switch::on, files->keep, files->cache};
            common.lookahead = files->lookahead;
        }
        options.sizes = {flow.size};
        options.tile = flow.tile;
        options.reducers = flow.reducers;
        options.schedule = flow.schedule;
        common.queue = flow.bound;
        const bench::ProgramDescription description{.name = "matmul"};
        session = std::make_unique<bench::Session>(description, common,
                                                   comm::TransportRegistry::standard());
        plan_cases(*session, options);
    }
    void TearDown() override {
        made.reset();
        world.barrier();
    }
    /// One for all ranks, made at its first use. Collective.
    std::filesystem::path folder() {
        if (shared.empty()) {
            if (world.rank() == 0) {
                temporary.emplace();
            }
            shared = world.broadcast(world.rank() == 0 ? temporary->path().string() : "", 0);
        }
        return shared;
    }
    void clear_folder() {
        made.reset();
        world.barrier();
        if (world.rank() == 0) {
            temporary.reset();
        }
        shared.clear();
        world.barrier();
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
    [[nodiscard]] Problem problem_of(const Flow& flow) const {
        return {flow.size, std::min(flow.tile, flow.size), common.seed};
    }
    void expect_product(const Flow& flow, DataflowProduct& product) {
        const Problem problem = problem_of(flow);
        const auto reference = quartet::matmul::product(problem, whole_matrix(problem, "A"),
                                                        whole_matrix(problem, "B"));
        for (std::int64_t row = 0; row < problem.tiles(); ++row) {
            for (std::int64_t column = 0; column < problem.tiles(); ++column) {
                if (product.owns({row, column})) {
                    EXPECT_LT(largest_difference(problem, reference, {row, column},
                                                 product.result({row, column})),
                              1e-5);
                }
            }
        }
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

    std::optional<TemporaryFolder> temporary;
    std::filesystem::path shared;
    const comm::Communicator world = comm::Communicator::world();
    bench::CommonOptions common;
    std::unique_ptr<bench::Session> session;
    std::unique_ptr<bench::Case> made;
};

TEST_P(DataflowProductTest, IsTheProductForAnyScheduleAndQueue) {
    const int most = world.size() - 1;
    for (const Flow& flow : {Flow{60, 13, 1, 16}, Flow{60, 13, most, 1},
                             Flow{41, 50, most, 2},  // one tile, more reducers than tiles
                             Flow{64, 16, 1, 1, WorkSchedule::dynamic},
                             Flow{50, 7, most, 3, WorkSchedule::dynamic}, Flow{1, 1, 1, 1}}) {
        const Problem problem{flow.size, std::min(flow.tile, flow.size), common.seed};
        auto& product = dynamic_cast<DataflowProduct&>(run_once(flow).product());
        const auto reference = quartet::matmul::product(problem, whole_matrix(problem, "A"),
                                                        whole_matrix(problem, "B"));
        double owned = 0;
        for (std::int64_t row = 0; row < problem.tiles(); ++row) {
            for (std::int64_t column = 0; column < problem.tiles(); ++column) {
                if (product.owns({row, column})) {
                    EXPECT_LT(largest_difference(problem, reference, {row, column},
                                                 product.result({row, column})),
                              1e-5);
                    EXPECT_EQ((row * problem.tiles() + column) % flow.reducers, world.rank());
                    ++owned;
                }
            }
        }
        const auto tiles = static_cast<double>(problem.tiles());
        EXPECT_EQ(world.sum(owned), tiles * tiles) << "each tile has one owner";
        EXPECT_EQ(world.sum(static_cast<double>(product.received())), tiles * tiles * tiles);
    }
}

TEST_P(DataflowProductTest, AddsInTheOrderOfTheInnerIndexToTheSameBitsInEachRun) {
    const int most = world.size() - 1;
    for (const WorkSchedule schedule : {WorkSchedule::fixed, WorkSchedule::dynamic}) {
        for (const int bound : {1, 2, 16}) {
            const std::int64_t size = GetParam().on_gpu() ? 60 : 150;  // emulated kernels are slow
            for (const Flow& flow : {Flow{size, 13, 1, bound, schedule},
                                     Flow{48, 16, std::min(2, most), bound, schedule}}) {
                const Problem problem = problem_of(flow);
                auto& product = dynamic_cast<DataflowProduct&>(run_once(flow).product());
                for (std::int64_t number = 0; number < problem.tiles() * problem.tiles();
                     ++number) {
                    const TileIndex tile{number / problem.tiles(), number % problem.tiles()};
                    if (product.owns(tile)) {
                        EXPECT_TRUE(
                            std::ranges::equal(product.result(tile), sum_in_order(problem, tile)))
                            << number << ", bound " << bound;
                    }
                }
            }
        }
    }
}

TEST_P(DataflowProductTest, IsTheProductOfTilesInFilesForAnyLookahead) {
    const int most = world.size() - 1;
    for (const auto& [flow, files] :
         {std::pair{Flow{60, 13, 1, 16}, Files{.lookahead = 0}},
          std::pair{Flow{60, 13, most, 1}, Files{.cache = FileCache::drop}},
          std::pair{Flow{50, 7, most, 3, WorkSchedule::dynamic}, Files{.lookahead = 1}},
          std::pair{Flow{41, 50, most, 2}, Files{.lookahead = 100}}}) {
        auto& product = dynamic_cast<DataflowProduct&>(run_once(flow, files).product());
        expect_product(flow, product);
        // Two tiles a product, each time anew (VI.B).
        const Problem problem = problem_of(flow);
        const auto tiles = static_cast<double>(problem.tiles());
        EXPECT_EQ(world.sum(static_cast<double>(product.traffic().read.value)),
                  2 * tiles * static_cast<double>(problem.matrix_bytes().value));
        EXPECT_EQ(world.sum(static_cast<double>(product.traffic().written.value)), 0);
        clear_folder();
    }
}

TEST_P(DataflowProductTest, KeepsTilesOfCAndTheirChecksums) {
    const Flow flow{60, 13, world.size() - 1, 4};
    auto& subject = run_once(flow, Files{.keep = bench::Switch::on});
    EXPECT_TRUE(subject.verify().passed);
    auto& product = dynamic_cast<DataflowProduct&>(subject.product());
    const Problem problem = problem_of(flow);
    for (std::int64_t row = 0; row < problem.tiles(); ++row) {
        for (std::int64_t column = 0; column < problem.tiles(); ++column) {
            if (product.owns({row, column})) {
                const TileIndex tile{row, column};
                std::vector<std::byte> file(
                    static_cast<std::size_t>(MatrixFiles::slot_bytes(problem).value));
                const MatrixFiles files(folder(), problem, FileCache::warm);
                EXPECT_TRUE(std::ranges::equal(files.read("C", tile, file), product.result(tile)));
            }
        }
    }
    const auto tiles = static_cast<std::size_t>(problem.tiles());
    EXPECT_EQ(read_manifest(folder()).checksums.size(), 3 * tiles * tiles);
    EXPECT_EQ(world.sum(static_cast<double>(product.traffic().written.value)),
              static_cast<double>(problem.matrix_bytes().value));
    clear_folder();
}

TEST_P(DataflowProductTest, FailsForAWrongTileOfAReducer) {
    auto& subject = run_once({60, 13, world.size() - 1, 16});
    EXPECT_TRUE(subject.verify().passed);
    auto& product = dynamic_cast<DataflowProduct&>(subject.product());
    if (world.rank() == 0) {
        product.results().back() += 1;
    }
    EXPECT_FALSE(subject.verify().passed);
}

TEST_P(DataflowProductTest, ItsLimitRecordsWorkersReducersLinkAndStorage) {
    auto& subject = run_once({60, 13, 1, 16}, Files{});
    subject.prepare_limit();
    std::vector<std::string> names;
    for (const bench::LimitComponent& component : subject.limit()) {
        names.push_back(component.name);
        EXPECT_GT(component.seconds.value, 0) << component.name;
        EXPECT_EQ(component.seconds.value, world.maximum(component.seconds.value));
    }
    const std::vector<std::string> in_windows{"SGEMM", "reducers", "storage"};
    const std::vector<std::string> by_messages{"SGEMM", "reducers", "link to the reducers",
                                               "storage"};
    std::vector<std::string> expected = GetParam().in_place ? in_windows : by_messages;
    if (GetParam().on_gpu()) {
        expected.insert(expected.begin() + 1, "copies to and from GPUs");
    }
    EXPECT_EQ(names, expected);
    clear_folder();
}

TEST_P(DataflowProductTest, RefusesTooFewRanksAndSaysTheNumberNeeded) {
    EXPECT_THAT(message_of<UsageError>([&] {
                    run_once({8, 4, world.size(), 1});
                }),
                HasSubstr("start at least " + std::to_string(world.size() + 1) + " ranks"));
}

TEST_P(DataflowProductTest, CopiesWhatItsPlacesNeedAndNoMore) {
    const Flow flow{60, 13, world.size() - 1, 4};
    auto& product = dynamic_cast<DataflowProduct&>(run_once(flow).product());
    const Problem problem = problem_of(flow);
    const auto matrix = static_cast<double>(problem.matrix_bytes().value);
    const auto tiles = static_cast<double>(problem.tiles());
    const bool reduces_on_gpu = GetParam().reducer_device != "host";
    const bool through_host = !reduces_on_gpu || GetParam().transport == "staged";
    // A worker copies two tiles in for each product; partial tiles go through the host or not; the
    // first of a tile is copied in, too.
    const double partials = through_host ? tiles * matrix : 0;
    const double in = 2 * tiles * matrix + (reduces_on_gpu ? partials : 0);
    const double out = partials + (reduces_on_gpu ? matrix : 0);
    const auto sum = [&](Bytes bytes) { return world.sum(static_cast<double>(bytes.value)); };
    EXPECT_EQ(sum(product.copied().read), GetParam().on_gpu() ? in : 0);
    EXPECT_EQ(sum(product.copied().written), GetParam().on_gpu() ? out : 0);
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
    const Bytes kept = world.rank() > 0 ? 3 * problem_of(flow).tile_bytes() : Bytes{};
    if (GetParam().transport == "ipc") {  // whole exported blocks, which its probe may have left
        EXPECT_LE(taken, planned + kept + session->device().accelerator()->exported_block());
        return;
    }
    EXPECT_GE(taken, planned);
    EXPECT_LT(taken, planned + kept + problem_of(flow).tile_bytes());  // whole pages
}

INSTANTIATE_TEST_SUITE_P(Ways, DataflowProductTest, testing::ValuesIn(dataflow_ways()),
                         [](const auto& instance) {
                             const DataflowWay& way = instance.param;
                             return way.transport +
                                    (way.on_gpu() ? "_reduced_on_" + way.reducer_device : "");
                         });

}  // namespace
}  // namespace quartet::matmul
