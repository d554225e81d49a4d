#include "fft/verify.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/block_range.hpp"
#include "device/host/host_device.hpp"
#include "support/reference_transform.hpp"

namespace quartet::fft {
namespace {

/// A transform whose input and right output all ranks know.
class TransformCheckTest : public testing::Test {
  protected:
    /// The check of the input x[t::T] and of an output in the problem's order that `spoil` has
    /// changed.
    using Spoil = std::function<void(std::vector<Point>& output)>;
    bench::Check check(const Problem& problem, const Spoil& spoil = {}, std::uint64_t seed = 1) {
        std::vector<Point> x(static_cast<std::size_t>(problem.points));
        fill_points(x, 3, 0, 1);
        std::vector<Point> output;
        for (const Wide& bin : reference_transform(x)) {
            output.emplace_back(static_cast<double>(bin.real()), static_cast<double>(bin.imag()));
        }
        if (spoil) {
            spoil(output);
        }
        const IndexOrder in = problem.input_order(world.size(), world.rank());
        const IndexOrder out = problem.output_order(world.size(), world.rank());
        TransformCheck subject(arena, problem.points, seed, 1, world);
        const std::vector<Point> mine_in = mine(x, in);
        const std::vector<Point> mine_out = mine(output, out);
        subject.expect(in, out, in_pieces(mine_in, mine_in.size()));
        return subject.verify(in_pieces(mine_out, mine_out.size()));
    }

    /// An array in pieces of so many elements.
    static ReadPieces in_pieces(std::span<const Point> array, std::size_t size) {
        return [=](const UsePiece& use) {
            for (std::size_t first = 0; first < array.size(); first += size) {
                use(static_cast<std::int64_t>(first),
                    array.subspan(first, std::min(size, array.size() - first)));
            }
        };
    }

    static std::vector<Point> mine(const std::vector<Point>& all, const IndexOrder& order) {
        std::vector<Point> part;
        for (std::int64_t row = 0; row < order.rows; ++row) {
            for (std::int64_t column = 0; column < order.columns; ++column) {
                part.push_back(all[static_cast<std::size_t>(order.index(row, column))]);
            }
        }
        return part;
    }

    const comm::Communicator world = comm::Communicator::world();
    Trace trace;
    const std::unique_ptr<device::Device> host = device::make_host_device({}, trace);
    device::Arena arena{*host, device::Arena::Mode::allocate};
};

TEST_F(TransformCheckTest, PassesTheRightOutputOfAnySize) {
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const auto& [tiles, length] : {std::pair{1, 1},
                                            {1, 2},
                                            {2, 1},
                                            {3, 5},
                                            {1, 1009},
                                            {4, 1001},
                                            {64, 64},
                                            {9, 700},
                                            {2, 4096}}) {
            for (const std::uint64_t seed : {1U, 2U, 77U}) {
                const bench::Check found =
                    check({std::int64_t{tiles} * length, tiles, order}, {}, seed);
                EXPECT_TRUE(found.passed)
                    << tiles << " x " << length << ": " << found.error << " > " << found.tolerance;
                EXPECT_LE(found.error, found.tolerance / 4) << "with room to spare";
            }
        }
    }
}

TEST_F(TransformCheckTest, FindsASingleWrongBinAnywhere) {
    const Problem problem{4096, 64, ResultOrder::transposed};
    for (std::size_t bin = 0; bin < 4096; bin += 97) {
        EXPECT_FALSE(check(problem, [=](auto& output) { output[bin] *= 1 + 1e-9; }).passed) << bin;
    }
}

TEST_F(TransformCheckTest, ComparesABinInEachSegmentOfTheOutput) {
    // Too small a fault for the checksum, and for a bin that is less than a sixth of a usual one.
    for (const int tiles : {64, 1}) {
        const Problem problem{4096, tiles, ResultOrder::transposed};
        int found = 0;
        for (std::ptrdiff_t segment = 0; segment < 64; ++segment) {
            const bench::Check all = check(problem, [=](auto& output) {
                for (auto bin = output.begin() + 64 * segment;
                     bin != output.begin() + 64 * (segment + 1); ++bin) {
                    *bin *= 1 + 6.5 * 4 * 0x1p-52 * 13;
                }
            });
            found += all.passed ? 0 : 1;
        }
        EXPECT_GE(found, 58);
    }
}

TEST_F(TransformCheckTest, FindsSwappedBins) {
    const Problem problem{6 * 700, 6, ResultOrder::natural};
    for (const std::size_t bin : {0U, 17U, 699U, 2100U, 4198U}) {
        EXPECT_FALSE(
            check(problem, [=](auto& output) { std::swap(output[bin], output[bin + 1]); }).passed);
        EXPECT_FALSE(check(problem, [=](auto& output) {
                         std::swap(output[bin], output[4199 - bin]);
                     }).passed);
    }
}

TEST_F(TransformCheckTest, FindsAWrongTwiddle) {
    // One tile's factors off by the last digits of a float, in the bins that it adds to.
    EXPECT_FALSE(check({4096, 64, ResultOrder::transposed}, [](auto& output) {
                     for (std::size_t bin = 5; bin < output.size(); bin += 64) {
                         output[bin] *= std::polar(1.0, 1e-8);
                     }
                 }).passed);
}

TEST_F(TransformCheckTest, FindsTheInverseAndTheWrongOrder) {
    const Problem problem{4096, 64, ResultOrder::transposed};
    EXPECT_FALSE(check(problem, [](auto& output) {
                     std::reverse(output.begin() + 1, output.end());
                 }).passed);
    EXPECT_FALSE(check(problem, [](auto& output) {
                     const auto bins = output;
                     for (std::size_t k = 0; k < 4096; ++k) {
                         output[k] = bins[k % 64 * 64 + k / 64];
                     }
                 }).passed);
}

TEST_F(TransformCheckTest, RefusesZerosAndNaN) {
    // Of 64 bins each is compared by itself, of 640 most are in the sum alone.
    for (const std::int64_t tiles : {8, 80}) {
        const Problem problem{8 * tiles, tiles, ResultOrder::natural};
        const auto fails = [&](const Spoil& spoil) { return !check(problem, spoil).passed; };
        EXPECT_TRUE(fails([](auto& output) { std::ranges::fill(output, Point{}); }));
        for (const double bad :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::max()}) {
            for (std::size_t bin = 13; bin < 23; ++bin) {
                EXPECT_TRUE(fails([=](auto& output) { output[bin] = {0, bad}; })) << bin;
            }
        }
    }
}

TEST_F(TransformCheckTest, GivesTheSameSumsForPiecesOfAnySize) {
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        const Problem problem{9 * 700, 9, order};
        const IndexOrder in = problem.input_order(world.size(), world.rank());
        const IndexOrder out = problem.output_order(world.size(), world.rank());
        std::vector<Point> x(static_cast<std::size_t>(problem.points));
        fill_points(x, 3, 0, 1);
        std::vector<Point> all;
        for (const Wide& bin : reference_transform(x)) {
            all.emplace_back(static_cast<double>(bin.real()), static_cast<double>(bin.imag()));
        }
        const std::vector<Point> input = mine(x, in);
        std::vector<Point> output = mine(all, out);
        for (const std::size_t size : {1U, 7U, 256U, 699U, 701U, 6300U}) {
            TransformCheck subject(arena, problem.points, 1, 1, world);
            subject.expect(in, out, in_pieces(input, size));

            EXPECT_TRUE(subject.verify(in_pieces(output, size)).passed) << size;
            output.back() *= 1 + 1e-9;
            EXPECT_FALSE(subject.verify(in_pieces(output, size)).passed) << size;
            output.back() /= 1 + 1e-9;
        }
        TransformCheck subject(arena, problem.points, 1, 1, world);
        const ReadPieces nothing = [](const UsePiece&) {};
        EXPECT_THROW(subject.expect(in, out, nothing), Failure) << "not all of the array";
    }
}

}  // namespace
}  // namespace quartet::fft
