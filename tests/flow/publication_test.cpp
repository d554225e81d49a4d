#include "flow/publication.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "flow/queue_fixture.hpp"

namespace quartet::flow {
namespace {

class PublicationTest : public QueueTest {};

INSTANTIATE_TEST_SUITE_P(Transports, PublicationTest, testing::ValuesIn(transports_of_queues()),
                         [](const auto& instance) { return instance.param; });

/// Counts the payload channels that are made over a transport.
class CountingTransport final : public comm::Transport {
  public:
    explicit CountingTransport(comm::Transport& counted) : counted_(counted) {}
    [[nodiscard]] const comm::TransportTraits& traits() const override { return counted_.traits(); }
    device::Allocation allocate(Bytes size) override { return counted_.allocate(size); }
    std::unique_ptr<comm::PayloadChannel> prepare_payload_channel(
        const comm::PayloadChannelPlan& plan) override {
        ++channels;
        return counted_.prepare_payload_channel(plan);
    }

    int channels = 0;

  private:
    comm::Transport& counted_;
};

TEST_P(PublicationTest, HasOneChannelAndTwoKindsWhateverTheNumberOfReceivers) {
    CountingTransport counting(*transport);
    const Publication large(hub, counting, 0, others, mebibytes(1));
    EXPECT_EQ(counting.channels, 1);
    EXPECT_EQ(hub.kinds(), 2);
}

TEST_P(PublicationTest, PublishesPayloadsTooLargeForTheirAnnouncements) {
    constexpr std::ptrdiff_t longest = 100000;
    Publication texts(hub, *transport, 0, others, {longest});
    for (std::ptrdiff_t length = 1; length <= longest; length *= 10) {
        const auto byte_at = [length](std::ptrdiff_t index) {
            return static_cast<std::byte>((index * 31 + length) % 251);
        };
        std::vector<std::byte> text(static_cast<std::size_t>(length));
        for (std::ptrdiff_t index = 0; index < length; ++index) {
            text[static_cast<std::size_t>(index)] = byte_at(index);
        }
        if (rank == 0) {
            texts.publish({text.data(), length, device::MemoryKind::host});
        } else {
            const auto received = texts.receive();
            ASSERT_EQ(received.size(), length);
            EXPECT_TRUE(std::equal(text.begin(), text.end(), received.data()));
        }
    }
    if (rank == 0) {
        texts.flush();
    } else {
        texts.release();
    }
    world.barrier();
}

TEST_P(PublicationTest, RefusesReceiversThatAreNoOtherRanks) {
    EXPECT_THROW(Publication(hub, *transport, 0, {0}, {8}), Failure);
    EXPECT_THROW(Publication(hub, *transport, 0, {size}, {8}), Failure);
    EXPECT_THROW(Publication(hub, *transport, 0, {1, 1}, {8}), Failure);
}

// What a receiver allocates must not grow with their number.
TEST(PublicationMemory, OfAReceiverIsOnePayloadAmong16384Ranks) {
    constexpr int ranks = 16384;
    std::vector<int> receivers(ranks - 1);
    std::iota(receivers.begin(), receivers.end(), 1);
    const auto registry = comm::TransportRegistry::standard();
    const comm::OperationMemory mpi(registry.traits("mpi"), {.nodes = ranks / 8});
    const auto taken = [&](Bytes largest, int rank) {
        return Publication::memory(0, receivers, largest, mpi, rank).host;
    };
    EXPECT_EQ(taken(mebibytes(1), 1), mebibytes(1));
    EXPECT_EQ(taken(mebibytes(1), ranks - 1), mebibytes(1));
    EXPECT_EQ(taken(mebibytes(1), 0), (ranks - 1) * mebibytes(1));
    EXPECT_LE(taken({24}, ranks - 1), Bytes{128});
    EXPECT_LE(taken({24}, 0), mebibytes(1)) << "a line of the cache for each";
}

TEST_P(PublicationTest, ReducesInRankOrderAndPublishesTheSum) {
    for (const int bound : {1, 2, 16}) {
        Queue contributions(hub, *transport,
                            {.pushers = others, .bound = bound, .largest = bytes_of<double>(1)});
        Publication sums(hub, *transport, 0, others, bytes_of<double>(1));
        for (int turn = 0; turn < 50; ++turn) {
            const auto value = [turn](int of) { return std::ldexp(1.0 / (of + turn + 3), 9 * of); };
            double expected = 0;
            for (const int other : others) {
                expected += value(other);
            }
            if (rank == 0) {
                std::vector<double> values(static_cast<std::size_t>(size));
                take(contributions, size - 1, 3, [&](const Item& item) {
                    std::memcpy(&values[static_cast<std::size_t>(item.from)], item.payload.data(),
                                sizeof(double));
                });
                double sum = 0;
                for (const double one : values) {
                    sum += one;
                }
                sums.publish(device::as_bytes(
                    device::View<const double>(&sum, 1, device::MemoryKind::host)));
            } else {
                const double mine = value(rank);
                std::memcpy(contributions.next().data(), &mine, sizeof mine);
                contributions.push(rank, bytes_of<double>(1));
                double sum = 0;
                std::memcpy(&sum, sums.receive().data(), sizeof sum);
                sums.release();
                EXPECT_EQ(sum, expected);
            }
        }
        if (rank == 0) {
            sums.flush();
        } else {
            contributions.flush();
        }
        world.barrier();
    }
}

}  // namespace
}  // namespace quartet::flow
