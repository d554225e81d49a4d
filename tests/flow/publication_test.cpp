#include "flow/publication.hpp"

#include <cmath>
#include <cstring>

#include "flow/queue_fixture.hpp"

namespace quartet::flow {
namespace {

class PublicationTest : public QueueTest {};

INSTANTIATE_TEST_SUITE_P(Transports, PublicationTest, testing::ValuesIn(transports_of_queues()),
                         [](const auto& instance) { return instance.param; });

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
