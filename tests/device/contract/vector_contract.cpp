#include <cmath>
#include <limits>

#include "device/contract/contract.hpp"
#include "device/multiply_add_probe.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

namespace {

constexpr std::int64_t sizes[] = {0, 1, 2, 7, 31, 32, 33, 1001, 65536, (1 << 20) + 5};

/// One rounding of a multiplication and one of an addition, fused or not, of values below 2.
template <typename T>
constexpr T rounding = 4 * std::numeric_limits<T>::epsilon();

}  // namespace

TEST_P(VectorContract, AddsFloats) {
    for (const std::int64_t size : sizes) {
        const auto from = random_values<float>(size, 1);
        const auto to = random_values<float>(size, 2);
        const Buffer<float> source = upload(from);
        Buffer<float> target = upload(to);

        device->vectors().add(source.view(), target.view(), *stream);

        const std::vector<float> result = download(target.view());
        for (std::size_t i = 0; i < result.size(); ++i)
            ASSERT_EQ(result[i], to[i] + from[i]) << i << " of " << size;
        EXPECT_EQ(download(source.view()), from);
    }
}

TEST_P(VectorContract, AddsDoubles) {
    for (const std::int64_t size : sizes) {
        const auto from = random_values<double>(size, 3);
        const auto to = random_values<double>(size, 4);
        const Buffer<double> source = upload(from);
        Buffer<double> target = upload(to);

        device->vectors().add(source.view(), target.view(), *stream);

        const std::vector<double> result = download(target.view());
        for (std::size_t i = 0; i < result.size(); ++i)
            ASSERT_EQ(result[i], to[i] + from[i]) << i << " of " << size;
    }
}

TEST_P(VectorContract, TouchesNothingBesideItsPart) {
    const Buffer<float> source = upload(std::vector<float>(100, 1.0F));
    Buffer<float> target = empty<float>(100);

    device->vectors().add(source.view().part(3, 50), target.view().part(5, 50), *stream);

    const std::vector<float> result = download(target.view());
    for (std::size_t i = 0; i < result.size(); ++i)
        EXPECT_EQ(result[i], i >= 5 && i < 55 ? 1.0F : 0.0F) << i;
}

TEST_P(VectorContract, CopiesFromAndToAnyElement) {
    for (const std::int64_t size : sizes) {
        for (const std::int64_t offset : {0, 1, 8}) {
            const auto from = random_values<double>(size + offset, 5);
            const Buffer<double> source = upload(from);
            Buffer<double> target = upload(std::vector<double>(from.size() + 3, -1));

            device->vectors().copy(source.view().part(offset, size),
                                   target.view().part(offset, size), *stream);

            const std::vector<double> result = download(target.view());
            for (std::int64_t i = 0; i < std::ssize(result); ++i) {
                const auto index = static_cast<std::size_t>(i);
                const bool copied = i >= offset && i < offset + size;
                ASSERT_EQ(result[index], copied ? from[index] : -1) << i << " of " << size;
            }
        }
    }
}

TEST_P(VectorContract, Fills) {
    std::vector<std::int64_t> filled(std::begin(sizes), std::end(sizes));
    filled.push_back((1 << 21) + 5);  // more than a GPU's grid has threads
    for (const std::int64_t size : filled) {
        Buffer<float> floats = empty<float>(size);
        Buffer<double> doubles = empty<double>(size);

        device->vectors().fill(0.1F, floats.view(), *stream);
        device->vectors().fill(0.1, doubles.view(), *stream);

        const auto count = static_cast<std::size_t>(size);
        EXPECT_EQ(download(floats.view()), std::vector<float>(count, 0.1F));
        EXPECT_EQ(download(doubles.view()), std::vector<double>(count, 0.1));
    }
}

TEST_P(VectorContract, AddsMultiples) {
    for (const std::int64_t size : sizes) {
        const auto x = random_values<double>(size, 5);
        const auto y = random_values<double>(size, 6);
        const Buffer<double> source = upload(x);
        Buffer<double> target = upload(y);

        device->vectors().axpy(0.3, source.view(), target.view(), *stream);

        const std::vector<double> result = download(target.view());
        for (std::size_t i = 0; i < result.size(); ++i)
            ASSERT_NEAR(result[i], y[i] + 0.3 * x[i], rounding<double>) << i << " of " << size;
    }
}

TEST_P(VectorContract, AddsToMultiples) {
    for (const std::int64_t size : sizes) {
        const auto x = random_values<double>(size, 7);
        const auto y = random_values<double>(size, 8);
        const Buffer<double> source = upload(x);
        Buffer<double> target = upload(y);

        device->vectors().xpay(source.view(), 0.3, target.view(), *stream);

        const std::vector<double> result = download(target.view());
        for (std::size_t i = 0; i < result.size(); ++i)
            ASSERT_NEAR(result[i], x[i] + 0.3 * y[i], rounding<double>) << i << " of " << size;
    }
}

TEST_P(VectorContract, DotsAgreeWithLongDouble) {
    for (const std::int64_t size : sizes) {
        const auto x = random_values<double>(size, 9);
        const auto y = random_values<double>(size, 10);
        const Buffer<double> left = upload(x);
        const Buffer<double> right = upload(y);
        Buffer<double> result = upload(std::vector<double>{NAN});

        device->vectors().dot(left.view(), right.view(), result.view(), *stream);

        long double sum = 0;
        long double magnitude = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double product = static_cast<long double>(x[i]) * y[i];
            sum += product;
            magnitude += std::abs(product);
        }
        const double bound = static_cast<double>(static_cast<long double>(size + 1) * magnitude) *
                             std::numeric_limits<double>::epsilon();
        EXPECT_NEAR(download(result.view())[0], static_cast<double>(sum), bound) << size;
    }
}

TEST_P(VectorContract, DotsHaveTheSameBitsWhereverTheVectorsLie) {
    constexpr std::int64_t size = 100'003;
    const auto x = random_values<double>(size, 11);
    Buffer<double> moved = empty<double>(size + 9);
    Buffer<double> result = empty<double>(19);
    const Buffer<double> original = upload(x);
    device->vectors().dot(original.view(), original.view(), result.view().part(0, 1), *stream);

    for (std::int64_t offset = 1; offset < 10; ++offset) {
        const View<double> there = moved.view().part(offset, size);
        device->copy(as_bytes(original.view()), as_bytes(there), *stream);
        device->vectors().dot(there, there, result.view().part(offset, 1), *stream);
        device->vectors().dot(original.view(), there, result.view().part(offset + 9, 1), *stream);
    }

    const std::vector<double> dots = download(result.view());
    EXPECT_EQ(dots, std::vector<double>(19, dots[0]));
}

TEST_P(VectorContract, RefusesUnequalSizes) {
    Buffer<double> three = empty<double>(3);
    Buffer<double> four = empty<double>(4);
    Buffer<double> one = empty<double>(1);
    Buffer<float> floats = empty<float>(3);
    Buffer<float> more_floats = empty<float>(4);
    VectorOperations& vectors = device->vectors();

    EXPECT_THROW(vectors.add(floats.view(), more_floats.view(), *stream), Failure);
    EXPECT_THROW(vectors.add(three.view(), four.view(), *stream), Failure);
    EXPECT_THROW(vectors.axpy(1, three.view(), four.view(), *stream), Failure);
    EXPECT_THROW(vectors.xpay(three.view(), 1, four.view(), *stream), Failure);
    EXPECT_THROW(vectors.dot(three.view(), four.view(), one.view(), *stream), Failure);
    EXPECT_THROW(vectors.dot(three.view(), three.view(), four.view(), *stream), Failure);
    EXPECT_THROW(vectors.dot(three.view(), three.view(), {}, *stream), Failure);
}

TEST_P(VectorContract, RefusesPartialOverlap) {
    Buffer<double> values = empty<double>(10);
    const View<double> low = values.view().part(0, 6);
    const View<double> high = values.view().part(4, 6);

    EXPECT_THROW(device->vectors().add(low, high, *stream), Failure);
    EXPECT_THROW(device->vectors().axpy(1, high, low, *stream), Failure);
    EXPECT_THROW(device->vectors().xpay(low, 1, high, *stream), Failure);
}

INSTANTIATE_TEST_SUITE_P(Devices, VectorContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
