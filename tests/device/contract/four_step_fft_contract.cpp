
#include "device/contract/contract.hpp"
#include "device/contract/ranks_on_one_device.hpp"
#include "device/fft_factory.hpp"
#include "support/reference_transform.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

// What takes each way through the passes: small and large, one level and two, whole blocks and
// ragged ones, sizes with large primes, fewer tiles or bins than ranks.
const Size transforms[] = {
    {64, 64, 1},  {64, 64, 2},   {64, 64, 4},   {64, 64, 3},   {512, 64, 2},  {16, 4096, 2},
    {10, 80, 2},  {3, 72, 1},    {5, 1000, 3},  {7, 100, 4},   {4, 625, 2},   {3, 225, 3},
    {300, 90, 4}, {289, 64, 2},  {11, 13, 3},   {6, 22, 2},    {22, 128, 4},  {1, 1, 1},
    {1, 64, 2},   {64, 1, 3},    {2, 3, 4},     {3, 2, 4},     {1, 5, 4},     {343, 98, 2},
    {270, 84, 3}, {2, 16384, 2}, {1024, 8, 2},  {120, 105, 2}, {125, 243, 4}, {2048, 96, 3},
    {1, 4096, 1}, {1, 90, 1},    {1, 32768, 1}, {1, 1024, 1},  {8192, 16, 1},
};

std::vector<Point> points(const std::vector<double>& values) {
    std::vector<Point> result;
    for (std::size_t index = 0; index + 1 < values.size(); index += 2)
        result.emplace_back(values[index], values[index + 1]);
    return result;
}

std::string text(const Size& size) {
    return std::to_string(size.tiles) + " x " + std::to_string(size.length) + " on " +
           std::to_string(size.ranks);
}

}  // namespace

TEST_P(FourStepFftContract, IsTheTransformForAnySizeOnAnyNumberOfRanks) {
    for (const Size& size : transforms) {
        const std::vector<Point> x = points(random_values<double>(2 * size.tiles * size.length, 7));

        const std::vector<Point> found = RanksOnOneDevice(*device, *stream, size).transform(x);

        EXPECT_LE(relative_error(found, reference_transform(x)), rounding_bound(x.size()))
            << text(size);
    }
}

TEST_P(FourStepFftContract, TransposeBringsNaturalOrder) {
    for (const Size& size : transforms) {
        const std::vector<Point> x = points(random_values<double>(2 * size.tiles * size.length, 8));
        RanksOnOneDevice run(*device, *stream, size);

        EXPECT_EQ(run.transform_to_natural(x), run.transform(x)) << text(size);
    }
}

TEST_P(FourStepFftContract, SingleRankFftIsTheTransformOutOfPlaceAndInPlace) {
    int plans = 0;
    for (const Size& size : transforms) {
        const FourStepFft shape{size.tiles, size.length, 1, 0};
        const auto fft = device->ffts().plan_single_rank_fft(shape);
        if (!fft)
            continue;
        ++plans;
        const std::vector<Point> x = points(random_values<double>(2 * shape.points(), 7));
        std::vector<Point> tiles;
        for (std::int64_t t = 0; t < shape.tiles; ++t)
            for (std::int64_t m = 0; m < shape.length; ++m)
                tiles.push_back(x[static_cast<std::size_t>(t + shape.tiles * m)]);
        Buffer<Point> input = upload(tiles);
        Buffer<Point> bins = empty<Point>(shape.points());

        fft->run(std::as_const(input).view(), bins.view(), *stream);
        EXPECT_LE(relative_error(download(bins.view()), reference_transform(x)),
                  rounding_bound(x.size()))
            << text(size);
        EXPECT_EQ(download(input.view()), tiles) << "the input keeps its values";

        fft->run(std::as_const(input).view(), input.view(), *stream);
        EXPECT_LE(relative_error(download(input.view()), reference_transform(x)),
                  rounding_bound(x.size()))
            << text(size) << " in place";
    }
    EXPECT_GT(plans, 0) << "each device transforms some single tile";
}

TEST_P(FourStepFftContract, ScatterTileAgreesWithColumnFftsOfAllTiles) {
    for (const auto& [tiles, length] : {std::pair{1, 1}, {5, 24}, {3, 70}, {7, 13}, {16, 64}}) {
        const FourStepFft shape{tiles, length, 1, 0};
        const FourStepFft alone{1, length, 1, 0};
        const std::vector<Point> values = points(random_values<double>(2 * shape.points(), 13));
        const Buffer<Point> input = upload(values);
        Buffer<double> wanted = empty<double>(shape.parts_size());
        Buffer<double> found = empty<double>(shape.parts_size());
        Buffer<double> blocks = empty<double>(alone.parts_size());
        const auto whole = device->ffts().plan_column_ffts(shape);
        const auto one = device->ffts().plan_column_ffts(alone);
        const auto scatter = device->ffts().plan_scatter_tile(shape);
        if (!scatter)
            GTEST_SKIP() << "tiles are merged on the CPU";

        whole->run(input.view(), wanted.view(), *stream);
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            one->run(input.view().part(tile * length, length), blocks.view(), *stream);
            scatter->run(tile, std::as_const(blocks).view(), found.view(), *stream);
        }

        const std::vector<double> expected = download(wanted.view());
        const std::vector<double> result = download(found.view());
        for (std::int64_t i = 0; i < shape.parts_size(); ++i) {
            const std::int64_t bin = i / FourStepFft::block_size / tiles * FourStepFft::block_bins +
                                     i % FourStepFft::block_bins;
            const auto index = static_cast<std::size_t>(i);
            if (bin < length) {
                ASSERT_NEAR(result[index], expected[index], 1e-13 * length)
                    << i << " of " << tiles << " x " << length;
            }
        }
    }
}

TEST_P(FourStepFftContract, RefusesWrongSizesAndOverlap) {
    const FourStepFft shape{8, 64, 2, 0};
    Buffer<Point> tiles = empty<Point>(shape.input_points());
    Buffer<double> parts = empty<double>(shape.parts_size());
    Buffer<Point> bins = empty<Point>(shape.output_points());
    const auto column_ffts = device->ffts().plan_column_ffts(shape);
    const auto row_ffts = device->ffts().plan_row_ffts(shape);
    const auto transpose = device->ffts().plan_transpose(shape);
    const View<const Point> input = std::as_const(tiles).view();

    EXPECT_THROW(column_ffts->run(input.part(0, 64), parts.view(), *stream), Failure);
    EXPECT_THROW(column_ffts->run(input, parts.view().part(0, 64), *stream), Failure);
    const View<const double> part = std::as_const(parts).view().part(0, shape.part_size(0, 0));
    const std::vector<View<const double>> one{part};
    const std::vector<View<const double>> wrong{part, part.part(0, 16)};
    EXPECT_THROW(row_ffts->run(one, bins.view(), *stream), Failure);
    EXPECT_THROW(row_ffts->run(wrong, bins.view(), *stream), Failure);
    const std::vector<View<const double>> both{part, part};
    EXPECT_THROW(row_ffts->run(both, bins.view().part(0, 8), *stream), Failure);
    const std::vector<View<const Point>> natural{input.part(0, 16), input.part(0, 16)};
    EXPECT_THROW(transpose->run(natural, bins.view(), *stream), Failure);
}

TEST_P(FourStepFftContract, RefusesImpossibleShapes) {
    for (const FourStepFft& shape :
         {FourStepFft{0, 8, 1, 0}, FourStepFft{8, 0, 1, 0}, FourStepFft{8, 8, 2, 2},
          FourStepFft{8, 8, 0, 0}, FourStepFft{8, 8, 2, -1},
          FourStepFft{std::int64_t{1} << 40, std::int64_t{1} << 40, 1, 0}}) {
        EXPECT_THROW(device->ffts().plan_column_ffts(shape), Failure);
        EXPECT_THROW(device->ffts().plan_row_ffts(shape), Failure);
        EXPECT_THROW(device->ffts().plan_transpose(shape), Failure);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, FourStepFftContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
