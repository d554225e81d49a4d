#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "device/contract/contract.hpp"
#include "device/fft_factory.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

/// The transform by its definition, in long double.
std::vector<std::complex<long double>> direct_transform(const Point* input, std::int64_t length) {
    using Wide = std::complex<long double>;
    std::vector<Wide> roots;
    for (std::int64_t k = 0; k < length; ++k)
        roots.push_back(
            std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                 static_cast<long double>(length)));
    std::vector<Wide> result(static_cast<std::size_t>(length));
    for (std::int64_t k = 0; k < length; ++k)
        for (std::int64_t n = 0; n < length; ++n)
            result[static_cast<std::size_t>(k)] +=
                Wide(input[n]) * roots[static_cast<std::size_t>(k * n % length)];
    return result;
}

std::vector<Point> random_points(const std::vector<double>& values) {
    std::vector<Point> points;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        points.emplace_back(values[i], values[i + 1]);
    return points;
}

/// Expects `output` to be the transform of `input` within a relative L2 error that grows as
/// log length, with room for the algorithms for prime lengths.
void expect_transform(const Point* input, const Point* output, std::int64_t length) {
    const auto reference = direct_transform(input, length);
    long double error = 0;
    long double norm = 0;
    for (std::size_t k = 0; k < reference.size(); ++k) {
        error += std::norm(std::complex<long double>(output[k]) - reference[k]);
        norm += std::norm(reference[k]);
    }
    const long double bound = 4 * std::numeric_limits<double>::epsilon() *
                              (1 + std::log2(static_cast<long double>(length)));
    EXPECT_LE(std::sqrt(error), bound * std::sqrt(norm)) << "length " << length;
}

}  // namespace

TEST_P(FftContract, AgreesWithTheDefinitionAndKeepsItsInput) {
    for (const std::int64_t length : {1, 2, 3, 5, 7, 8, 1000, 1009}) {
        for (const std::int64_t batch : {1, 2, 5}) {
            const auto points = random_points(
                random_values<double>(2 * length * batch, static_cast<unsigned>(length)));
            Buffer<Point> input = upload(points);
            Buffer<Point> output = empty<Point>(length * batch);
            const std::unique_ptr<FftPlan> plan = device->ffts().plan_fft({length, batch});

            plan->forward(input.view(), output.view(), *stream);

            const std::vector<Point> result = download(output.view());
            for (std::int64_t i = 0; i < batch; ++i)
                expect_transform(points.data() + i * length, result.data() + i * length, length);
            EXPECT_EQ(download(input.view()), points) << length << " x " << batch;
        }
    }
}

TEST_P(FftContract, GivesTheSameBitsAgain) {
    const auto points = random_points(random_values<double>(2 * 3 * 1000, 1));
    const Buffer<Point> input = upload(points);
    Buffer<Point> first = empty<Point>(3000);
    Buffer<Point> second = empty<Point>(3000);

    const std::unique_ptr<FftPlan> plan = device->ffts().plan_fft({1000, 3});
    const std::unique_ptr<FftPlan> again = device->ffts().plan_fft({1000, 3});

    plan->forward(input.view(), first.view(), *stream);
    again->forward(input.view(), second.view(), *stream);

    EXPECT_EQ(download(first.view()), download(second.view()));
}

TEST_P(FftContract, WorksOnPartsOfBuffers) {
    const auto points = random_points(random_values<double>(2 * 30, 2));
    Buffer<Point> input = upload(points);
    Buffer<Point> output = empty<Point>(30);
    const std::unique_ptr<FftPlan> plan = device->ffts().plan_fft({7, 1});

    for (const std::int64_t first : {0, 1, 2, 3, 13})
        plan->forward(input.view().part(first, 7), output.view().part(first + 1, 7), *stream);

    const std::vector<Point> result = download(output.view());
    expect_transform(points.data() + 13, result.data() + 14, 7);
    EXPECT_EQ(result[21], Point{});
}

TEST_P(FftContract, RefusesWrongSizesAndOverlap) {
    Buffer<Point> eight = empty<Point>(8);
    Buffer<Point> seven = empty<Point>(7);
    Buffer<Point> twelve = empty<Point>(12);
    const std::unique_ptr<FftPlan> plan = device->ffts().plan_fft({4, 2});

    EXPECT_THROW(plan->forward(eight.view(), seven.view(), *stream), Failure);
    EXPECT_THROW(plan->forward(seven.view(), eight.view(), *stream), Failure);
    EXPECT_THROW(plan->forward(eight.view(), eight.view(), *stream), Failure);
    EXPECT_THROW(plan->forward(twelve.view().part(0, 8), twelve.view().part(4, 8), *stream),
                 Failure);
}

TEST_P(FftContract, RefusesImpossibleShapes) {
    EXPECT_THROW(device->ffts().plan_fft({0, 1}), Failure);
    EXPECT_THROW(device->ffts().plan_fft({-4, 1}), Failure);
    EXPECT_THROW(device->ffts().plan_fft({4, -1}), Failure);
    EXPECT_THROW(device->ffts().plan_fft({std::int64_t{1} << 40, std::int64_t{1} << 40}), Failure);
}

INSTANTIATE_TEST_SUITE_P(Devices, FftContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
