#include "fft/loops.hpp"

#include <gtest/gtest.h>

#include <random>

#include "device/host/host_device.hpp"
#include "device/host/loops/loops.hpp"
#include "device/host/runtime/host_stream.hpp"
#include "fft/host_fft.hpp"
#include "support/reference_transform.hpp"

namespace quartet::fft {
namespace {

constexpr std::size_t lanes = FourStepFft::block_bins;

/// Doubles aligned to 64 bytes.
struct alignas(64) Line {
    double values[8];
};

/// The loops of each instruction set that this processor has.
class EveryFftLoops : public ::testing::TestWithParam<const Loops*> {
  protected:
    void SetUp() override {
        if (!device::processor_has(GetParam()->isa)) {
            GTEST_SKIP() << "no " << GetParam()->isa << " here";
        }
    }

    // FFTs of one length over tiles, one for each bin of a block.
    std::vector<std::vector<Point>> transform(const std::vector<std::vector<Point>>& inputs,
                                              int length) const {
        const SmallFftPlan one(1, GetParam()->registers);
        const SmallFftPlan plan(length, GetParam()->registers);
        const auto size = static_cast<std::size_t>(length);
        std::vector<Line> blocks(2 * size);
        std::vector<TileSource> sources;
        for (std::size_t t = 0; t < size; ++t) {
            sources.push_back({0, static_cast<std::uint32_t>(t)});
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                blocks[2 * t].values[lane] = inputs[lane][t].real();
                blocks[2 * t + 1].values[lane] = inputs[lane][t].imag();
            }
        }
        std::vector<Line> memory(4 * size);
        const double* block = blocks.data()->values;
        std::vector<Line> bins(2 * size);
        const RowFft fft{one.fft(), plan.fft(), sources.data(), nullptr, lanes, false};
        const RowWork work{memory.data()->values, nullptr, &block, &block};
        GetParam()->rows(fft, work, lanes, bins.data()->values);
        const auto* points = reinterpret_cast<const Point*>(bins.data());
        std::vector<std::vector<Point>> outputs(lanes);
        for (std::size_t k = 0; k < size; ++k) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                outputs[lane].push_back(points[k * lanes + lane]);
            }
        }
        return outputs;
    }
};

TEST_P(EveryFftLoops, AreTheFftForEveryLengthThatHasAPlan) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    int supported = 0;
    for (int length = 1; length <= SmallFftPlan::longest; ++length) {
        if (!SmallFftPlan::supports(length)) {
            continue;
        }
        ++supported;
        std::vector<std::vector<Point>> inputs(lanes);
        for (auto& input : inputs) {
            for (int j = 0; j < length; ++j) {
                input.emplace_back(uniform(engine), uniform(engine));
            }
        }
        const auto outputs = transform(inputs, length);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            EXPECT_LE(relative_error(outputs[lane], reference_transform(inputs[lane])),
                      rounding_bound(inputs[lane].size()))
                << "length " << length << ", lane " << lane;
        }
    }
    EXPECT_EQ(supported, 77) << "numbers up to 256 without a prime factor above 7";
}

TEST_P(EveryFftLoops, ScatterTilesToWhereColumnFftsWriteThem) {
    std::mt19937_64 engine(13);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Track track("stream", 0);
    const auto stream = device::make_host_stream(device::HostStreams::inline_call, track);
    Trace trace;
    const auto host = device::make_host_device({}, trace);
    device::Arena arena(*host, device::Arena::Mode::allocate);
    for (const auto& [tiles, length] : {std::pair{1, 1}, {5, 24}, {3, 70}, {7, 13}, {16, 64}}) {
        const FourStepFft shape{tiles, length, 1, 0};
        const FourStepFft alone{1, length, 1, 0};
        auto input = arena.make<Point>(shape.points());
        for (Point& point : input.span()) {
            point = {uniform(engine), uniform(engine)};
        }
        auto wanted = arena.make<double>(shape.parts_size());
        auto found = arena.make<double>(shape.parts_size());
        auto blocks = arena.make<double>(alone.parts_size());
        for (const Bytes caches : {Bytes{}, gibibytes(1)}) {
            const HostFftSettings settings{1, *GetParam(), caches};
            const auto ffts = make_host_ffts(settings);
            ffts->column_ffts(arena, shape)
                ->run(std::as_const(input).view(), wanted.view(), *stream);

            const auto one = ffts->column_ffts(arena, alone);
            const TileScatter scatter(arena, shape, settings);
            for (std::int64_t tile = 0; tile < tiles; ++tile) {
                one->run(std::as_const(input).view().part(tile * length, length), blocks.view(),
                         *stream);
                scatter.run(tile, std::as_const(blocks).view(), found.view(), *stream);
            }

            for (std::int64_t i = 0; i < shape.parts_size(); ++i) {
                const std::int64_t bin =
                    i / FourStepFft::block_size / tiles * FourStepFft::block_bins +
                    i % FourStepFft::block_bins;
                const auto index = static_cast<std::size_t>(i);
                if (bin < length) {
                    ASSERT_NEAR(found.span()[index], wanted.span()[index], 1e-13 * length)
                        << i << " of " << tiles << " x " << length;
                }
            }
        }
    }
}

TEST(FftwTest, SaysWhereThePackageHasNoCodeForTheProcessor) {
    for (const char* isa : {"avx2", "avx512"}) {
        EXPECT_TRUE(lacks_avx2("fftw-3.3.10-sse2-avx", isa));
        EXPECT_FALSE(lacks_avx2("fftw-3.3.10-sse2-avx-avx2-avx2_128", isa));
        EXPECT_FALSE(lacks_avx2("Another library of that interface", isa)) << "says nothing of it";
    }
    EXPECT_FALSE(lacks_avx2("fftw-3.3.10-sse2-avx", "baseline"));
    EXPECT_FALSE(lacks_avx2("fftw-3.3.10", "neon"));
    EXPECT_EQ(fftw_description().ends_with(')'),
              lacks_avx2(fftw_description(), device::best_loops().isa));
}

INSTANTIATE_TEST_SUITE_P(Host, EveryFftLoops,
                         ::testing::ValuesIn(compiled_loops().begin(), compiled_loops().end()),
                         [](const auto& test) { return std::string(test.param->isa); });

}  // namespace
}  // namespace quartet::fft
