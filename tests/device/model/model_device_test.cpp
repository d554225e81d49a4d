#include "device/model/model_device.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/message_of.hpp"
#include "device/blas.hpp"
#include "device/cg_kernels.hpp"
#include "device/fft_factory.hpp"
#include "device/matrix_factory.hpp"
#include "device/registry/device_registry.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {
namespace {

/// Slow, so that few elements take long.
MachineRates slow_machine() {
    return {.name = "slow", .memory = 1e6, .products = 2e6, .transforms = 1e6, .launch = {1e-3}};
}

class ModelDeviceTest : public testing::Test {
  protected:
    /// Whether an operation takes so many seconds: never less, and in one of many tries hardly
    /// more, since a busy machine wakes sleepers late.
    testing::AssertionResult takes(double seconds, const std::function<void()>& enqueue) {
        constexpr int most_tries = 200;
        double shortest = std::numeric_limits<double>::max();
        for (int attempt = 0; attempt < most_tries; ++attempt) {
            shortest = std::min(shortest, device->time(1, enqueue, *stream).value);
            if (shortest < 1.2 * seconds + 1e-3)
                break;
        }
        const bool holds = shortest > seconds * (1 - 1e-6) && shortest < 1.2 * seconds + 1e-3;
        return (holds ? testing::AssertionSuccess() : testing::AssertionFailure())
               << shortest << " s, where " << seconds << " s are expected";
    }
    Buffer<double> vector(std::int64_t size) { return allocate<double>(*device, size); }

    Trace trace;
    std::unique_ptr<Device> device = make_model_device(slow_machine(), trace);
    std::unique_ptr<Stream> stream = device->make_stream("test");
};

TEST_F(ModelDeviceTest, ComputesNothingAndSaysSo) {
    EXPECT_EQ(device->name(), "model");
    EXPECT_EQ(device->results(), Results::emulated);
    EXPECT_FALSE(computes(*device));
    EXPECT_THAT(device->description(), testing::HasSubstr("model of slow"));
    EXPECT_EQ(device->memory_kind(), MemoryKind::host);
    EXPECT_EQ(device->accelerator(), nullptr);
}

TEST_F(ModelDeviceTest, ProductsTakeTheirOperations) {
    auto a = allocate<float>(*device, 10 * 20);
    auto b = allocate<float>(*device, 20 * 50);
    auto c = allocate<float>(*device, 10 * 50);
    // 2 x 10 x 20 x 50 operations at 2e6, and a launch.
    EXPECT_TRUE(takes(0.010 + 0.001, [&] {
        device->blas().gemm({.rows = 10, .columns = 50, .inner = 20}, a.view(), b.view(), c.view(),
                            Update::replace, *stream);
    }));
}

TEST_F(ModelDeviceTest, VectorsTakeTheirTraffic) {
    auto x = vector(500);
    auto y = vector(500);
    auto sum = vector(1);
    EXPECT_TRUE(takes(24 * 500 / 1e6 + 0.001,
                      [&] { device->vectors().xpay(x.view(), 1.0, y.view(), *stream); }));
    EXPECT_TRUE(takes(16 * 500 / 1e6 + 0.001,
                      [&] { device->vectors().dot(x.view(), y.view(), sum.view(), *stream); }));
    EXPECT_TRUE(takes(48 * 500 / 1e6 + 0.001, [&] {
        device->cg_kernels().update_classic(1.0, {x.view(), y.view(), x.view(), y.view()},
                                            sum.view(), *stream);
    }));
}

TEST_F(ModelDeviceTest, MatricesTakeTheirElementsAndNoMemory) {
    auto x = vector(100);
    auto y = vector(10);
    const auto rows = device->matrices().make_matrix(RowBlock{.rows = 10, .columns = 100});
    EXPECT_TRUE(
        takes(8 * 1000 / 1e6 + 0.001, [&] { rows->multiply(x.view(), y.view(), *stream); }));
    const auto part = device->matrices().make_matrix(TrianglePart{.size = 100, .parts = 5});
    auto whole = vector(100);
    EXPECT_TRUE(takes(8 * 5050 / 5.0 / 1e6 + 0.001,
                      [&] { part->multiply(x.view(), whole.view(), *stream); }));
    EXPECT_EQ(device->matrices().matrix_memory(RowBlock{.rows = 1 << 20, .columns = 1 << 20}),
              Bytes{});
    EXPECT_THROW(rows->multiply(y.view(), y.view(), *stream), Failure);
}

TEST_F(ModelDeviceTest, BothStepsOfATransformTakeAllItsOperations) {
    const FourStepFft shape{.tiles = 16, .length = 64};
    auto tiles = allocate<std::complex<double>>(*device, shape.input_points());
    auto parts = vector(shape.parts_size());
    auto bins = allocate<std::complex<double>>(*device, shape.output_points());
    const auto columns = device->ffts().plan_column_ffts(shape);
    const auto rows = device->ffts().plan_row_ffts(shape);
    const std::vector<View<const double>> received{parts.view()};
    EXPECT_TRUE(takes(5 * 1024 * 10 / 1e6 + 0.002, [&] {
        columns->run(tiles.view(), parts.view(), *stream);
        rows->run(received, bins.view(), *stream);
    }));
}

TEST_F(ModelDeviceTest, ARecordingIsOneLaunch) {
    auto x = vector(1);
    const auto recording = device->record([&](Stream& to) {
        for (int fill = 0; fill < 20; ++fill)
            device->vectors().fill(0.0, x.view(), to);
    });
    EXPECT_TRUE(takes(20 * 8 / 1e6 + 0.001, [&] { recording(*stream); }));
}

TEST_F(ModelDeviceTest, ScalarsAreRealSoThatIterationsGoOn) {
    auto x = vector(8);
    auto scalars = allocate<CgScalars>(*device, 1);
    auto seen = allocate<CgScalars>(*device, 1);
    auto history = vector(3);
    scalars.span()[0] = {.residual_dot = 1};
    const auto sum = scalar_of(scalars.view(), &CgScalars::sum);
    device->vectors().dot(x.view(), x.view(), sum, *stream);
    device->cg_kernels().update_alpha(scalars.view(), *stream);
    device->cg_kernels().update_classic(1.0, {x.view(), x.view(), x.view(), x.view()}, sum,
                                        *stream);
    device->cg_kernels().update_beta(scalars.view(), history.view(), *stream);
    device->copy(as_bytes(View<const CgScalars>(scalars.view())), as_bytes(seen.view()), *stream);
    stream->synchronize();

    EXPECT_EQ(seen.span()[0].done, 1);
    EXPECT_EQ(seen.span()[0].failed_at, -1);
    EXPECT_EQ(history.span()[1], 1);
}

TEST(ModelDeviceKindTest, IsNoHostAndNoAcceleratorThatAutoWouldTake) {
    const auto registry = DeviceRegistry::standard();
    EXPECT_EQ(registry.host().name, "host");
    for (const DeviceKind& kind : registry.accelerators())
        EXPECT_NE(kind.name, "model");
    EXPECT_EQ(registry.find("model").results, Results::emulated);
    EXPECT_EQ(registry.find("host").results, Results::computed);
}

TEST(ModelDeviceKindTest, NeedsAMachine) {
    Trace trace;
    const auto registry = DeviceRegistry::standard();
    const DeviceKind& model = registry.find("model");
    EXPECT_THAT(message_of<UsageError>([&] { model.make({}, trace); }),
                testing::HasSubstr("--machine FILE"));
    EXPECT_EQ(model.make({.rates = slow_machine()}, trace)->name(), "model");
}

}  // namespace
}  // namespace quartet::device
