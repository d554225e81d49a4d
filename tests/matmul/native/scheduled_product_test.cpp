#include "matmul/native/scheduled_product.hpp"

#include <gmock/gmock.h>

#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::HasSubstr;

/// The streams of the device, and how much is held: where the order could go wrong.
struct Way {
    device::HostStreams streams;
    Blocking blocking;  ///< without the slots, which are the fewest that serve
};

class ScheduledProductTest : public testing::TestWithParam<Way> {
  protected:
    ScheduledProductTest() {
        for (std::int64_t number = 0; number < std::ssize(input_files(problem)); ++number) {
            const auto [matrix, index] = input_tile(problem, number);
            const auto tile = tile_of(problem, matrix == "A" ? a : b, index);
            write_npy<float>(folder / tile_file(matrix, index.row, index.column),
                             {problem.extent(index.row), problem.extent(index.column)}, tile);
        }
    }

    [[nodiscard]] Blocking blocking() const {
        Blocking blocking = GetParam().blocking;
        blocking.slots = least_slots(block, blocking.rows, blocking.columns, blocking.lookahead);
        return blocking;
    }
    [[nodiscard]] ScheduledProduct make_product(device::Device& device) const {
        BoundedPlan plan;
        plan.host.emplace().blocking = blocking();
        return {
            problem, block, plan,
            ProductFiles{std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm)},
            device};
    }
    std::unique_ptr<device::Device> make_device() {
        return device::make_host_device({.threads = 1, .streams = GetParam().streams}, trace);
    }

    const Problem problem{70, 16, 5};
    const Block block{{0, 5}, {1, 5}};
    const Matrix a = whole_matrix(problem, "A");
    const Matrix b = whole_matrix(problem, "B");
    TemporaryFolder folder;
    Trace trace;
};

INSTANTIATE_TEST_SUITE_P(Ways, ScheduledProductTest,
                         testing::Values(Way{device::HostStreams::inline_call, {5, 4, 0, 0}},
                                         Way{device::HostStreams::inline_call, {2, 1, 0, 3}},
                                         Way{device::HostStreams::threaded, {5, 4, 0, 8}},
                                         Way{device::HostStreams::threaded, {1, 1, 0, 0}},
                                         Way{device::HostStreams::threaded, {2, 2, 0, 30}}));

TEST_P(ScheduledProductTest, IsTheProductInFloat64InEveryRun) {
    const auto device = make_device();
    const auto stream = device->make_stream("compute");
    ScheduledProduct product = make_product(*device);
    const auto reference = matmul::product(problem, a, b);

    for (int run = 0; run < 2; ++run) {
        product.prepare();
        product.run(*stream);
        for (std::int64_t row = 0; row < 5; ++row) {
            for (std::int64_t column = 1; column < 5; ++column) {
                EXPECT_LT(largest_difference(problem, reference, {row, column},
                                             product.result({row, column})),
                          1e-6);
            }
        }
        const Traffic planned = planned_traffic(problem, block, blocking());
        EXPECT_EQ(product.traffic().read, planned.read);
        EXPECT_EQ(product.traffic().written, planned.written);
    }
}

TEST_P(ScheduledProductTest, OverwritesOnlyItsOwnLastResult) {
    const auto device = make_device();
    const auto stream = device->make_stream("compute");
    ScheduledProduct product = make_product(*device);
    const auto result = folder / "C_0_1.npy";
    const auto spare = folder / "C_0_1.npy.spare";
    write_text(result, "of another job");
    std::filesystem::create_hard_link(result, folder / "open elsewhere");

    product.prepare();
    EXPECT_FALSE(std::filesystem::exists(result) || std::filesystem::exists(spare));
    product.run(*stream);
    EXPECT_EQ(read_text(folder / "open elsewhere"), "of another job");

    const std::string first = read_text(result);
    product.prepare();
    EXPECT_FALSE(std::filesystem::exists(result));
    EXPECT_TRUE(std::filesystem::exists(spare));
    product.run(*stream);
    EXPECT_EQ(read_text(result), first);
    EXPECT_FALSE(std::filesystem::exists(spare));
}

TEST_P(ScheduledProductTest, NamesATileThatCannotBeRead) {
    const auto device = make_device();
    const auto stream = device->make_stream("compute");
    ScheduledProduct product = make_product(*device);
    std::filesystem::resize_file(folder / "B_3_2.npy", 200);

    product.prepare();
    try {
        product.run(*stream);
        FAIL() << "nothing was thrown";
    } catch (const NpyError& error) {
        EXPECT_THAT(error.what(), HasSubstr("B_3_2.npy"));
    }
}

}  // namespace
}  // namespace quartet::matmul
