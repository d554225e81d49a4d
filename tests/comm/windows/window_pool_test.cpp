#include "comm/windows/window_pool.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "core/check.hpp"

namespace quartet::comm {
namespace {

class WindowPoolTest : public testing::TestWithParam<WindowKind> {
  protected:
    const Communicator world = Communicator::world();
    WindowPool pool{GetParam(), world};
};

INSTANTIATE_TEST_SUITE_P(Kinds, WindowPoolTest,
                         testing::Values(WindowKind::shared, WindowKind::remote),
                         [](const auto& kind) {
                             return kind.param == WindowKind::shared ? "shared" : "remote";
                         });

TEST_P(WindowPoolTest, FindsTheWindowOfAnAddress) {
    const device::Allocation first = pool.allocate({1000});
    const device::Allocation second = pool.allocate({2000});

    const auto begin = pool.address_of(first.data.get(), 1000);
    const auto inside = pool.address_of(second.data.get() + 1500, 500);

    EXPECT_EQ(begin.offset, 0);
    EXPECT_EQ(inside.offset, 1500);
    EXPECT_NE(begin.window, inside.window);
    EXPECT_EQ(pool.window(inside.window).local(), second.data.get());
}

TEST_P(WindowPoolTest, AddressesMeanTheSameOnAllRanks) {
    const device::Allocation first = pool.allocate({100});
    const device::Allocation second = pool.allocate({100});
    const bool even = world.rank() % 2 == 0;

    const auto all = pool.exchange(pool.address_of((even ? first : second).data.get(), 100));

    const auto own = pool.address_of(first.data.get(), 100);
    const auto other = pool.address_of(second.data.get(), 100);
    ASSERT_EQ(std::ssize(all), world.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
        EXPECT_EQ(all[r].window, r % 2 == 0 ? own.window : other.window);
    }
}

}  // namespace
}  // namespace quartet::comm
