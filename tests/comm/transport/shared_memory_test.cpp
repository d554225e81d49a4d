#include <gtest/gtest.h>

#include <new>
#include <thread>

#include "comm/transport/operations_internal.hpp"
#include "comm/transport/staged/links.hpp"

namespace quartet::comm {
namespace {

// The protocols of ranks that share memory, between threads: ThreadSanitizer sees whether each
// access is ordered, whatever the processor does, and on Arm a missing order gives wrong values.

constexpr std::int64_t rounds = 5000;

TEST(SharedSum, ReusesItsLinesInOrder) {
    constexpr int ranks = 3;
    std::array<SharedShares, ranks> memory{};
    std::vector<const SharedShares*> shares;
    for (SharedShares& one : memory) {
        shares.push_back(&one);
    }
    std::array<std::int64_t, ranks> wrong{};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
            SharedSum sum(memory[static_cast<std::size_t>(rank)], shares);
            for (std::int64_t round = 1; round <= rounds; ++round) {
                std::array<double, 7> values;
                values.fill(static_cast<double>(round * (rank + 1)));
                sum.run(values);
                wrong[static_cast<std::size_t>(rank)] +=
                    std::ssize(values) - std::ranges::count(values, static_cast<double>(6 * round));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, (std::array<std::int64_t, ranks>{}));
}

TEST(SharedLink, FillsAPlaceOnlyOnceItWasRead) {
    constexpr Bytes chunk{512};
    static constexpr std::align_val_t page{4096};
    const auto size = static_cast<std::size_t>(shared_ring_memory(chunk).value);
    const auto ring = [&] {
        auto* memory = static_cast<std::byte*>(::operator new(size, page));
        std::fill_n(memory, size, std::byte{0});
        return std::unique_ptr<std::byte, void (*)(std::byte*)>(
            memory, [](std::byte* data) { ::operator delete(data, page); });
    };
    const auto there = ring();
    const auto back = ring();
    std::thread sender([&] {
        const auto link = make_shared_link(there.get(), back.get(), chunk);
        for (std::int64_t number = 0; number < rounds; ++number) {
            while (!link->is_free(number)) {
                std::this_thread::yield();
            }
            const auto numbers = device::view_as<std::int64_t>(link->outgoing(number, chunk));
            std::ranges::fill(numbers.span(), number);
            link->post(number, chunk);
        }
    });
    const auto link = make_shared_link(back.get(), there.get(), chunk);
    std::int64_t wrong = 0;
    for (std::int64_t number = 0; number < rounds; ++number) {
        while (!link->arrived(number)) {
            std::this_thread::yield();
        }
        const auto numbers = device::view_as<std::int64_t>(link->incoming(number, chunk)).span();
        wrong += std::ssize(numbers) - std::ranges::count(numbers, number);
        link->release(number);
    }
    sender.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace quartet::comm
