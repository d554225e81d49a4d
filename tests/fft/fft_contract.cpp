#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/contract/contract.hpp"
#include "device/host/loops/loops.hpp"
#include "fft/four_step.hpp"
#include "fft/host_fft.hpp"
#include "support/reference_transform.hpp"

namespace quartet::fft {

using device::Buffer;
using device::View;

/// The transforms of one device, which is skipped where it cannot be had.
class FftContract : public device::DeviceContract {
  protected:
    void SetUp() override {
        DeviceContract::SetUp();
        if (!device)
            return;
        arena.emplace(*device, device::Arena::Mode::allocate);
        if (has_own_memory(*device)) {
            factories.push_back(make_cuda_ffts());
            factories.push_back(make_cuda_ffts(kibibytes(20)));  // in several batches
            return;
        }
        const Loops& loops = device::loops_of(device->isa(), compiled_loops());
        for (const int threads : {1, 3})
            for (const Bytes caches : {Bytes{}, gibibytes(1)})
                factories.push_back(make_host_ffts({threads, loops, caches}));
    }

    /// The transform of x in the order of k by all ranks of a four-step FFT, one after another.
    struct Found {
        std::vector<Point> by_rows;  ///< by column and row FFTs
        std::vector<Point> natural;  ///< brought into natural order by Transpose
    };
    Found transform(FftFactory& ffts, std::int64_t tiles, int ranks, const std::vector<Point>& x);

    void expect_transforms(const FourStepFft& shape,
                           const std::vector<std::unique_ptr<SingleRankFft>>& all);

    std::optional<device::Arena> arena;
    /// The ways to make the transforms of the device: tests go through them.
    std::vector<std::unique_ptr<FftFactory>> factories;
};

namespace {

/// One size of a four-step FFT on one number of ranks.
struct Size {
    std::int64_t tiles;
    std::int64_t length;
    int ranks;
};

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

/// The tiles x[t::T] of a rank, one after another.
std::vector<Point> tiles_of(const std::vector<Point>& x, const FourStepFft& mine) {
    std::vector<Point> tiles;
    for (std::int64_t t = mine.my_tiles().begin; t < mine.my_tiles().end; ++t)
        for (std::int64_t m = 0; m < mine.length; ++m)
            tiles.push_back(x[static_cast<std::size_t>(t + mine.tiles * m)]);
    return tiles;
}

}  // namespace

FftContract::Found FftContract::transform(FftFactory& ffts, std::int64_t tiles, int ranks,
                                          const std::vector<Point>& x) {
    const auto shape = [&](int rank) {
        return FourStepFft{tiles, std::ssize(x) / tiles, ranks, rank};
    };
    std::vector<Buffer<double>> parts;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<Point> mine = tiles_of(x, shape(rank));
        const Buffer<Point> input = upload(mine);
        parts.push_back(empty<double>(shape(rank).parts_size()));
        const auto column_ffts = ffts.column_ffts(*arena, shape(rank));
        column_ffts->run(input.view(), parts.back().view(), *stream);
        EXPECT_EQ(download(input.view()), mine) << "the tiles keep their values";
    }
    Found found{std::vector<Point>(x.size()), {}};
    std::vector<Buffer<Point>> transposed;
    for (int rank = 0; rank < ranks; ++rank) {
        const FourStepFft mine = shape(rank);
        std::vector<View<const double>> received;
        for (int from = 0; from < ranks; ++from) {
            std::int64_t before = 0;
            for (int to = 0; to < rank; ++to)
                before += mine.part_size(from, to);
            received.push_back(std::as_const(parts[static_cast<std::size_t>(from)])
                                   .view()
                                   .part(before, mine.part_size(from, rank)));
        }
        transposed.push_back(empty<Point>(mine.output_points()));
        const auto row_ffts = ffts.row_ffts(*arena, mine);
        EXPECT_FALSE(row_ffts->description().empty());
        row_ffts->run(received, transposed.back().view(), *stream);
        const std::vector<Point> bins = download(transposed.back().view());
        const Range columns = mine.my_bins();
        for (std::int64_t k2 = 0; k2 < mine.tiles; ++k2)
            for (std::int64_t k1 = columns.begin; k1 < columns.end; ++k1)
                found.by_rows[static_cast<std::size_t>(k1 + mine.length * k2)] =
                    bins[static_cast<std::size_t>(k2 * columns.size() + k1 - columns.begin)];
    }
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<View<const Point>> received;
        for (int from = 0; from < ranks; ++from) {
            std::int64_t before = 0;
            for (int to = 0; to < rank; ++to)
                before += natural_part_points(shape(0), from, to);
            received.push_back(std::as_const(transposed[static_cast<std::size_t>(from)])
                                   .view()
                                   .part(before, natural_part_points(shape(0), from, rank)));
        }
        Buffer<Point> bins = empty<Point>(block_range(shape(0).points(), ranks, rank).size());
        const auto transpose = ffts.transpose(shape(rank));
        transpose->run(received, bins.view(), *stream);
        const std::vector<Point> mine = download(bins.view());
        found.natural.insert(found.natural.end(), mine.begin(), mine.end());
    }
    return found;
}

TEST_P(FftContract, RanksTransformAnySizeInBothOrders) {
    for (const Size& size : transforms) {
        const std::vector<Point> x = points(random_values<double>(2 * size.tiles * size.length, 7));
        const std::vector<Wide> wanted = reference_transform(x);
        for (const auto& ffts : factories) {
            const Found found = transform(*ffts, size.tiles, size.ranks, x);

            EXPECT_LE(relative_error(found.by_rows, wanted), rounding_bound(x.size()))
                << text(size);
            EXPECT_EQ(found.natural, found.by_rows) << text(size);
        }
    }
}

TEST_P(FftContract, PlansTheMemoryThatItMakes) {
    for (const Size& size : transforms) {
        const FourStepFft shape{size.tiles, size.length, size.ranks, size.ranks - 1};
        for (const auto& ffts : factories) {
            const auto needs = [&](device::Arena::Mode mode) {
                device::Arena all(*device, mode);
                static_cast<void>(ffts->column_ffts(all, shape));
                static_cast<void>(ffts->row_ffts(all, shape));
                static_cast<void>(ffts->single_rank_fft(all, shape));
                return all.needs();
            };
            EXPECT_EQ(needs(device::Arena::Mode::plan), needs(device::Arena::Mode::allocate))
                << text(size);
        }
    }
}

using Ffts = std::vector<std::unique_ptr<SingleRankFft>>;

// Out of place, which keeps the input, and in place.
void FftContract::expect_transforms(const FourStepFft& shape, const Ffts& all) {
    const std::vector<Point> x = points(random_values<double>(2 * shape.points(), 7));
    const std::vector<Wide> wanted = reference_transform(x);
    const std::vector<Point> tiles = tiles_of(x, shape);
    for (const auto& fft : all) {
        const std::string what = text({shape.tiles, shape.length, 1}) + ": " + fft->description();
        Buffer<Point> input = upload(tiles);
        Buffer<Point> bins = empty<Point>(shape.points());

        fft->run(std::as_const(input).view(), bins.view(), *stream);
        EXPECT_LE(relative_error(download(bins.view()), wanted), rounding_bound(x.size())) << what;
        EXPECT_EQ(download(input.view()), tiles) << "the input keeps its values: " << what;

        fft->run(std::as_const(input).view(), input.view(), *stream);
        EXPECT_LE(relative_error(download(input.view()), wanted), rounding_bound(x.size()))
            << what << ", in place";
    }
}

TEST_P(FftContract, OneRankTransformsOutOfPlaceAndInPlace) {
    std::size_t plans = 0;
    for (const Size& size : transforms) {
        const FourStepFft shape{size.tiles, size.length, 1, 0};
        Ffts all;
        for (const auto& ffts : factories)
            if (auto fft = ffts->single_rank_fft(*arena, shape))
                all.push_back(std::move(fft));
        if (!all.empty())
            expect_transforms(shape, all);
        plans += all.size();
    }
    EXPECT_GT(plans, 0U) << "each device transforms some single tile";
    for (const std::int64_t length : {1, 2, 7, 1000, 1009}) {
        Ffts all;
        if (auto fft = factories.front()->vendors_fft(*arena, length))
            all.push_back(std::move(fft));
        if (!all.empty())
            expect_transforms({1, length, 1, 0}, all);
    }
}

TEST_P(FftContract, TransformsMoreThanABlockOfAGpuHolds) {
    const FourStepFft shape{1, std::int64_t{1} << 20, 1, 0};
    Ffts all;
    all.push_back(factories.front()->single_rank_fft(*arena, shape));
    if (!all.front())
        GTEST_SKIP() << "no host transforms such a tile as a whole";
    expect_transforms(shape, all);
}

TEST_P(FftContract, RefusesWrongSizesAndOverlap) {
    FftFactory& ffts = *factories.front();
    const FourStepFft shape{8, 64, 2, 0};
    Buffer<Point> tiles = empty<Point>(shape.input_points());
    Buffer<double> parts = empty<double>(shape.parts_size());
    Buffer<Point> bins = empty<Point>(shape.output_points());
    const auto column_ffts = ffts.column_ffts(*arena, shape);
    const auto row_ffts = ffts.row_ffts(*arena, shape);
    const auto transpose = ffts.transpose(shape);
    const auto whole = ffts.single_rank_fft(*arena, {1, 64, 1, 0});
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
    EXPECT_THROW(whole->run(input.part(0, 64), tiles.view().part(8, 64), *stream), Failure);
    EXPECT_THROW(whole->run(input.part(0, 32), bins.view().part(0, 32), *stream), Failure);
    const auto other = device::MemoryKind::device == device->memory_kind()
                           ? device::MemoryKind::host
                           : device::MemoryKind::device;
    EXPECT_THROW(whole->run({input.data(), 64, other}, bins.view().part(0, 64), *stream), Failure);
}

TEST_P(FftContract, RefusesImpossibleShapes) {
    for (const FourStepFft& shape :
         {FourStepFft{0, 8, 1, 0}, FourStepFft{8, 0, 1, 0}, FourStepFft{8, 8, 2, 2},
          FourStepFft{8, 8, 0, 0}, FourStepFft{8, 8, 2, -1},
          FourStepFft{std::int64_t{1} << 40, std::int64_t{1} << 40, 1, 0}}) {
        EXPECT_THROW(factories.front()->column_ffts(*arena, shape), Failure);
        EXPECT_THROW(factories.front()->row_ffts(*arena, shape), Failure);
        EXPECT_THROW(factories.front()->transpose(shape), Failure);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, FftContract, ::testing::ValuesIn(device::contract_devices()),
                         device::parameter_name);

}  // namespace quartet::fft
