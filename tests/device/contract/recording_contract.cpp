#include "device/device.hpp"

#include <cmath>

#include "device/contract/contract.hpp"
#include "device/matrix.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

TEST_P(RecordingContract, DoesItsOperationsAtEachRunAndNotBefore) {
    Buffer<double> x = upload(std::vector<double>{1, 2, 3});
    Buffer<double> y = upload(std::vector<double>{10, 20, 30});

    const auto recording = device->record([&](Stream& to) {
        device->vectors().axpy(1.0, std::as_const(x).view(), y.view(), to);
        device->copy(as_bytes(std::as_const(y).view()), as_bytes(x.view()), to);
    });
    EXPECT_EQ(download(y.view()), (std::vector<double>{10, 20, 30}));
    for (int run = 0; run < 3; ++run)
        recording(*stream);

    EXPECT_EQ(download(y.view()), (std::vector<double>{44, 88, 132}));
}

TEST_P(RecordingContract, IsInTheOrderOfTheStream) {
    Buffer<double> x = empty<double>(1000);
    const auto twice = device->record(
        [&](Stream& to) { device->vectors().add(std::as_const(x).view(), x.view(), to); });

    device->vectors().fill(3.0, x.view(), *stream);
    twice(*stream);
    device->vectors().axpy(1.0, std::as_const(x).view(), x.view(), *stream);
    twice(*stream);

    EXPECT_EQ(download(x.view()), std::vector<double>(1000, 24.0));
}

TEST_P(RecordingContract, ReadsFactorsFromMemoryAtEachRun) {
    const Buffer<double> x = upload(std::vector<double>{1, 2});
    Buffer<double> y = upload(std::vector<double>{0, 0});
    Buffer<double> factor = allocate<double>(*device, 1, MemoryKind::pinned);
    const auto recording = device->record([&](Stream& to) {
        device->vectors().axpy(std::as_const(factor).view(), x.view(), y.view(), to);
    });

    for (const double number : {1.0, 10.0, 100.0}) {
        factor.span()[0] = number;
        recording(*stream);
        stream->synchronize();
    }

    EXPECT_EQ(download(y.view()), (std::vector<double>{111, 222}));
}

TEST_P(RecordingContract, CanHoldProductsAndSums) {
    const auto matrix = device->matrices().make_matrix(RowBlock{0, 50, 50});
    const auto triangle = device->matrices().make_matrix(TrianglePart{50, 1, 0});
    const ReadRow rows = [](std::int64_t row, std::int64_t first, std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = 1.0 / static_cast<double>(1 + row + first + static_cast<std::int64_t>(i));
    };
    matrix->fill(rows);
    triangle->fill(rows);
    const Buffer<double> x = upload(random_values<double>(50, 3));
    Buffer<double> full = empty<double>(50);
    Buffer<double> half = empty<double>(50);
    Buffer<double> dots = empty<double>(2);

    const auto recording = device->record([&](Stream& to) {
        matrix->multiply(x.view(), full.view(), to);
        triangle->multiply(x.view(), half.view(), to);
        device->vectors().dot(x.view(), std::as_const(full).view(), dots.view().part(0, 1), to);
        device->vectors().dot(x.view(), std::as_const(half).view(), dots.view().part(1, 1), to);
    });
    matrix->multiply(x.view(), full.view(), *stream);  // beside the recording's own uses
    recording(*stream);
    recording(*stream);

    const auto found = download(dots.view());
    EXPECT_GT(found[0], 0);
    EXPECT_NEAR(found[1], found[0], 1e-12 * found[0]);
}

TEST_P(RecordingContract, ThrowsWhatItsOperationsThrow) {
    const auto fail = [](Stream&) { throw Failure("the operations' reason"); };

    EXPECT_THROW(
        {
            const auto recording = device->record(fail);
            recording(*stream);  // at the latest
        },
        Failure);
    EXPECT_NO_THROW(stream->synchronize());
}

TEST_P(RecordingContract, TimesEachCall) {
    Buffer<double> x = upload(std::vector<double>{1});
    int calls = 0;

    const Seconds time = device->time(
        100,
        [&] {
            ++calls;
            device->vectors().axpy(1.0, std::as_const(x).view(), x.view(), *stream);
        },
        *stream);

    EXPECT_GE(calls, 100);
    EXPECT_LE(calls, 101);  // a GPU has one more, which is not timed
    EXPECT_GT(time.value, 0);
    EXPECT_EQ(download(x.view()), std::vector<double>{std::exp2(calls)});
}

}  // namespace quartet::device
