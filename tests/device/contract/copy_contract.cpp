#include "device/contract/contract.hpp"

namespace quartet::device {

TEST_P(CopyContract, CopiesEveryByte) {
    for (const std::int64_t size : {1, 7, 64, 1000, (1 << 20) + 3}) {
        const std::vector<double> values = random_values<double>(size, 1);
        const Buffer<double> from = upload(values);
        Buffer<double> to = empty<double>(size);

        device->copy(as_bytes(from.view()), as_bytes(to.view()), *stream);

        EXPECT_EQ(download(to.view()), values) << size;
    }
}

TEST_P(CopyContract, WritesNothingOutsideItsTarget) {
    const Buffer<int> from = upload(std::vector<int>{1, 2, 3});
    Buffer<int> to = upload(std::vector<int>{9, 9, 9, 9, 9});

    device->copy(as_bytes(from.view()), as_bytes(to.view().part(1, 3)), *stream);

    EXPECT_EQ(download(to.view()), (std::vector<int>{9, 1, 2, 3, 9}));
}

TEST_P(CopyContract, RefusesUnequalSizesAndOverlap) {
    Buffer<std::byte> one = empty<std::byte>(8);
    Buffer<std::byte> other = empty<std::byte>(9);

    EXPECT_THROW(device->copy(one.view(), other.view(), *stream), Failure);
    EXPECT_THROW(device->copy(other.view().part(0, 6), other.view().part(3, 6), *stream), Failure);
}

INSTANTIATE_TEST_SUITE_P(Devices, CopyContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
