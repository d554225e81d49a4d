#include "device/device.hpp"

#include <cmath>

#include "device/contract/contract.hpp"
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

INSTANTIATE_TEST_SUITE_P(Devices, RecordingContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
