#include <chrono>
#include <random>
#include <thread>

#include "core/message_of.hpp"
#include "flow/queue_fixture.hpp"

namespace quartet::flow {
namespace {

using testing::HasSubstr;

class QueueSequenceTest : public QueueTest {};

INSTANTIATE_TEST_SUITE_P(Transports, QueueSequenceTest, testing::ValuesIn(transports_of_queues()),
                         [](const auto& instance) { return instance.param; });

/// Numbers 0, 1, 2 and so on, distributed over the ranks that push and to the queues that they go
/// to.
struct Distribution {
    int owners = 1;  ///< the first ranks
    std::vector<int> pusher_of;
    std::vector<int> queue_of;
    std::vector<std::int64_t> key_of;  ///< a sequence in each queue

    Distribution(std::mt19937& random, int size, int count)
        : owners(1 + static_cast<int>(random() % static_cast<unsigned>(size - 1))) {
        std::vector<std::int64_t> given(static_cast<std::size_t>(owners));
        const bool in_turn = random() % 2 == 0;
        for (int number = 0; number < count; ++number) {
            const int turn = in_turn ? number : static_cast<int>(random() % 1000);
            pusher_of.push_back(owners + turn % (size - owners));
            queue_of.push_back(number / 3 % owners);
            key_of.push_back(given[static_cast<std::size_t>(queue_of.back())]++);
        }
    }
};

TEST_P(QueueSequenceTest, KeepsKeyOrderForAnyQueueBound) {
    std::mt19937 shapes(11);  // the same on all ranks
    for (int shape = 0; shape < 60; ++shape) {
        const Distribution numbers(shapes, size, static_cast<int>(shapes() % 60));
        const int bound = 1 + static_cast<int>(shapes() % 5);
        const int most = 1 + static_cast<int>(shapes() % 4);
        const int places = 1 + static_cast<int>(shapes() % 3);
        const int slow = static_cast<int>(shapes() % static_cast<unsigned>(size));
        std::vector<int> pushers(others.begin() + numbers.owners - 1, others.end());
        std::vector<std::unique_ptr<Queue>> queues;
        for (int owner = 0; owner < numbers.owners; ++owner) {
            queues.push_back(std::make_unique<Queue>(hub, *transport,
                                                     QueuePlan{.owner = owner,
                                                               .pushers = pushers,
                                                               .bound = bound,
                                                               .largest = kibibytes(1 + shape % 2),
                                                               .order = DequeueOrder::sequence,
                                                               .outgoing = places}));
        }
        for (int round = 0; round < 2; ++round) {
            if (rank < numbers.owners) {
                Queue& mine = *queues[static_cast<std::size_t>(rank)];
                std::vector<std::pair<int, std::int64_t>> came;
                for (auto items = mine.dequeue(most); !items.empty(); items = mine.dequeue(most)) {
                    for (const Item& item : items) {
                        came.emplace_back(item.from, item.key);
                        EXPECT_TRUE(std::ranges::equal(item.payload.span(),
                                                       payload_of(item.from, item.key)));
                    }
                }
                std::vector<std::pair<int, std::int64_t>> expected;
                for (std::size_t number = 0; number < numbers.key_of.size(); ++number) {
                    if (numbers.queue_of[number] == rank) {
                        expected.emplace_back(numbers.pusher_of[number], numbers.key_of[number]);
                    }
                }
                EXPECT_EQ(came, expected) << "bound " << bound << ", " << places << " places";
                EXPECT_LE(mine.high_water(), bound);
            } else {
                for (std::size_t number = 0; number < numbers.key_of.size(); ++number) {
                    if (numbers.pusher_of[number] == rank) {
                        std::this_thread::sleep_for(
                            std::chrono::microseconds(rank == slow ? 50 : 5));
                        push(*queues[static_cast<std::size_t>(numbers.queue_of[number])], rank,
                             numbers.key_of[number]);
                    }
                }
                for (const auto& queue : queues) {
                    queue->close();
                }
            }
            world.barrier();
        }
    }
}

TEST_P(QueueSequenceTest, RefusesAKeyThatASequenceHasHad) {
    Queue queue(
        hub, *transport,
        {.pushers = others, .bound = 2 * size, .largest = {8}, .order = DequeueOrder::sequence});
    if (rank == 1) {
        queue.push(0, {});
        queue.push(0, {});
    } else if (rank == 0) {
        EXPECT_THAT(message_of<Failure>([&] { hub.serve_until([] { return false; }); }),
                    HasSubstr("twice"));
    }
    world.barrier();
}

}  // namespace
}  // namespace quartet::flow
