#include "device/host_access.hpp"

#include <numeric>

#include "device/contract/contract.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

namespace {

constexpr Bytes piece{100};  // of four points, or twelve doubles

std::vector<double> ascending(std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

}  // namespace

TEST_P(HostAccessContract, ReadsEveryElementOnceAndInOrder) {
    for (const std::int64_t count : {1, 11, 12, 13, 24, 1000}) {
        const std::vector<double> values = ascending(count);
        const Buffer<double> from = upload(values);
        std::vector<double> seen;

        HostAccess(*device, *stream, piece)
            .read(from.view(), [&](std::int64_t first, std::span<const double> elements) {
                EXPECT_EQ(first, std::ssize(seen));
                seen.insert(seen.end(), elements.begin(), elements.end());
            });

        EXPECT_EQ(seen, values);
    }
}

TEST_P(HostAccessContract, WritesEveryElement) {
    for (const std::int64_t count : {1, 12, 25, 1000}) {
        Buffer<double> to = empty<double>(count);

        HostAccess(*device, *stream, piece)
            .write(to.view(), [](std::int64_t first, std::span<double> elements) {
                std::iota(elements.begin(), elements.end(), 1.0 + static_cast<double>(first));
            });

        EXPECT_EQ(download(to.view()), ascending(count));
    }
}

TEST_P(HostAccessContract, ReadsAfterTheStreamsEarlierWork) {
    Buffer<float> to = empty<float>(1000);
    device->vectors().fill(2.5F, to.view(), *stream);
    std::int64_t right = 0;

    HostAccess(*device, *stream, piece)
        .read(View<const float>(to.view()), [&](std::int64_t, std::span<const float> elements) {
            right += std::ranges::count(elements, 2.5F);
        });

    EXPECT_EQ(right, 1000);
}

TEST_P(HostAccessContract, ThrowsWhatItsUserThrows) {
    const Buffer<double> from = upload(ascending(100));
    const auto fail = [](std::int64_t, auto) { throw Failure("the user's reason"); };

    EXPECT_THROW(HostAccess(*device, *stream, piece).read(from.view(), fail), Failure);
    EXPECT_NO_THROW(stream->synchronize());
}

INSTANTIATE_TEST_SUITE_P(Devices, HostAccessContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
