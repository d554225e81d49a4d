#include "comm/mpi/large_count.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "core/check.hpp"
#include "system/memory/memory_limits.hpp"

namespace quartet::comm {
namespace {

using Counts = std::vector<std::int64_t>;

// Byte i of what `from` has for `to`.
std::byte pattern(int from, int to, std::int64_t i) {
    return static_cast<std::byte>((from * 131 + to * 17 + i * 7 + i / 256) & 0xff);
}

// Ragged and partly empty.
std::int64_t count_between(int from, int to) {
    return (from * 5 + to * 3) % 4 == 0 ? 0 : 11 + from * 37 + to * 13;
}

// The parameter is where MPI's counts are taken to end: small ones force the large path.
class LargeCountTest : public testing::TestWithParam<std::int64_t> {
  protected:
    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    const std::int64_t largest = GetParam();

    Counts counts(auto count_of) const {
        Counts result;
        for (int r = 0; r < size; ++r) {
            result.push_back(count_of(r));
        }
        return result;
    }
};

INSTANTIATE_TEST_SUITE_P(Paths, LargeCountTest, testing::Values(1, 7, 64, INT_MAX),
                         [](const auto& instance) {
                             return "MpiCountsEndAt" + std::to_string(instance.param);
                         });

TEST_P(LargeCountTest, PassesBuffersAroundARing) {
    for (const std::int64_t count : {0, 1, 63, 64, 65, 4097}) {
        std::vector<std::byte> data(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
            data[static_cast<std::size_t>(i)] = pattern(0, 0, i);
        }
        std::vector<std::byte> received(data.size());
        if (rank == 0 && size > 1) {
            send_bytes(data, 1, 3, world.handle(), largest);
            receive_bytes(received, size - 1, 3, world.handle(), largest);
            EXPECT_EQ(received, data);
        } else if (size > 1) {
            receive_bytes(received, rank - 1, 3, world.handle(), largest);
            send_bytes(received, (rank + 1) % size, 3, world.handle(), largest);
        }
    }
}

TEST_P(LargeCountTest, NoticesMessagesOfAnotherSize) {
    std::vector<std::byte> short_one(10);
    std::vector<std::byte> long_one(200);
    if (size > 1 && rank == 0) {
        send_bytes(short_one, 1, 0, world.handle(), largest);
        send_bytes(long_one, 1, 1, world.handle(), largest);
    } else if (rank == 1) {
        EXPECT_THROW(receive_bytes(long_one, 0, 0, world.handle(), largest), Failure);
        EXPECT_THROW(receive_bytes(short_one, 0, 1, world.handle(), largest), Failure);
    }
    world.barrier();
}

TEST_P(LargeCountTest, AllGatherConcatenatesByRank) {
    const auto all_counts = counts([](int r) { return count_between(r, 1); });
    const auto total = std::reduce(all_counts.begin(), all_counts.end());
    std::vector<std::byte> mine(
        static_cast<std::size_t>(all_counts[static_cast<std::size_t>(rank)]));
    for (std::size_t i = 0; i < mine.size(); ++i) {
        mine[i] = pattern(rank, 0, static_cast<std::int64_t>(i));
    }
    std::vector<std::byte> all(static_cast<std::size_t>(total));
    all_gather_bytes(mine, all, RankCounts(all_counts, largest), world.handle());
    std::size_t place = 0;
    for (int r = 0; r < size; ++r) {
        for (std::int64_t i = 0; i < all_counts[static_cast<std::size_t>(r)]; ++i) {
            EXPECT_EQ(all[place++], pattern(r, 0, i));
        }
    }
}

TEST_P(LargeCountTest, AllToAllDeliversEachRanksParts) {
    const auto send_counts = counts([&](int r) { return count_between(rank, r); });
    const auto receive_counts = counts([&](int r) { return count_between(r, rank); });
    std::vector<std::byte> send;
    for (int to = 0; to < size; ++to) {
        for (std::int64_t i = 0; i < count_between(rank, to); ++i) {
            send.push_back(pattern(rank, to, i));
        }
    }
    std::vector<std::byte> receive(
        static_cast<std::size_t>(std::reduce(receive_counts.begin(), receive_counts.end())));
    all_to_all_bytes(send, receive, ExchangeCounts(send_counts, world.handle(), largest),
                     world.handle());
    std::size_t place = 0;
    for (int from = 0; from < size; ++from) {
        for (std::int64_t i = 0; i < count_between(from, rank); ++i) {
            EXPECT_EQ(receive[place++], pattern(from, rank, i));
        }
    }
}

// A buffer of 2^31 + 5 bytes, 0 but for some marks. Touching that much memory is what takes the
// test's time, so that it lies on huge pages where these can be had, and the sender's zeros are
// never touched.
class HugeBuffer {
  public:
    static constexpr std::size_t size = (std::size_t{1} << 31) + 5;

    HugeBuffer()
        : data_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (allocated()) {
            madvise(data_, size, MADV_HUGEPAGE);
        }
    }
    ~HugeBuffer() {
        if (allocated()) {
            munmap(data_, size);
        }
    }
    HugeBuffer(const HugeBuffer&) = delete;
    HugeBuffer& operator=(const HugeBuffer&) = delete;

    [[nodiscard]] bool allocated() const { return data_ != MAP_FAILED; }
    [[nodiscard]] std::span<std::byte> span() const {
        return {static_cast<std::byte*>(data_), size};
    }

    void mark() const {
        for (const auto place : marks()) {
            span()[place] = mark_at(place);
        }
    }

    // Whether it holds what mark() writes; the marks are gone afterwards.
    [[nodiscard]] bool is_marked() const {
        for (const auto place : marks()) {
            if (span()[place] != mark_at(place)) {
                return false;
            }
            span()[place] = std::byte{0};
        }
        // All bytes are 0 if the first is and each equals the next.
        return span()[0] == std::byte{0} && std::memcmp(&span()[0], &span()[1], size - 1) == 0;
    }

  private:
    // Here and there, and around the places where counts may go wrong.
    static std::vector<std::size_t> marks() {
        constexpr std::size_t end = std::size_t{1} << 31;
        std::vector<std::size_t> places{1, end / 2 - 1, end - 2, end - 1, end + 1, size - 1};
        for (std::size_t place = 0; place <= end; place += end / 32) {
            places.push_back(place);
        }
        return places;
    }

    static std::byte mark_at(std::size_t place) { return static_cast<std::byte>(1 + place % 83); }

    void* data_;
};

TEST(LargeCount, MovesMoreThanTwoGibibytes) {
    const auto world = Communicator::world();
    if (world.size() != 2) {
        GTEST_SKIP() << "for two ranks";
    }
    const Bytes available{static_cast<std::int64_t>(
        world.minimum(static_cast<double>(system::read_memory().available.value)))};
    if (available < gibibytes(8)) {
        GTEST_SKIP() << "8 GiB of memory are needed, " << available.value << " bytes are available";
    }
    const HugeBuffer buffer;
    if (!world.all(buffer.allocated())) {
        GTEST_SKIP() << "2 GiB cannot be allocated";
    }
    if (world.rank() == 0) {
        buffer.mark();
        send_bytes(buffer.span(), 1, 0, world.handle());
    } else {
        receive_bytes(buffer.span(), 0, 0, world.handle());
        EXPECT_TRUE(buffer.is_marked());
    }
    world.barrier();
}

}  // namespace
}  // namespace quartet::comm
