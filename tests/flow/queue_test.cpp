#include "flow/queue.hpp"

#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "core/message_of.hpp"
#include "flow/queue_fixture.hpp"

namespace quartet::flow {
namespace {

using testing::HasSubstr;

std::vector<std::byte> read(Queue& queue, const Item& item) {
    std::vector<std::byte> payload;
    queue.read(item, [&](std::int64_t first, const device::View<const std::byte>& piece) {
        EXPECT_EQ(first, std::ssize(payload));
        payload.insert(payload.end(), piece.span().begin(), piece.span().end());
    });
    return payload;
}

// Takes everything out, in batches of up to `most`; the keys of each rank in the order they came.
std::map<int, std::vector<std::int64_t>> take_all(Queue& queue, int most) {
    std::map<int, std::vector<std::int64_t>> keys;
    for (auto items = queue.dequeue(most); !items.empty(); items = queue.dequeue(most)) {
        EXPECT_LE(std::ssize(items), most);
        for (const Item& item : items) {
            const auto expected = payload_of(item.from, item.key);
            EXPECT_EQ(read(queue, item), expected) << item.from << " " << item.key;
            if (queue.plan().reading == comm::PayloadReading::whole) {
                EXPECT_TRUE(std::ranges::equal(item.payload.span(), expected));
            }
            keys[item.from].push_back(item.key);
        }
    }
    return keys;
}

TEST_P(QueueTest, DeliversEachPushersItemsOnceAndInOrder) {
    std::mt19937 shapes(7);  // the same on all ranks
    for (int shape = 0; shape < 40; ++shape) {
        QueuePlan plan{.owner = static_cast<int>(shapes() % static_cast<unsigned>(size)),
                       .pushers = {},
                       .bound = 1 + static_cast<int>(shapes() % 6),
                       .largest = kibibytes(1 + shape % 2),  // with and after the header
                       .order = DequeueOrder::arrival,
                       .outgoing = 1 + static_cast<int>(shapes() % 3),
                       .reading = shape % 4 < 2 ? comm::PayloadReading::whole
                                                : comm::PayloadReading::in_pieces};
        for (int other = 0; other < size; ++other) {
            if (other != plan.owner) {
                plan.pushers.push_back(other);
            }
        }
        const int most = 1 + static_cast<int>(shapes() % 4);
        const int items = static_cast<int>(shapes() % 50);
        const int slow = static_cast<int>(shapes() % static_cast<unsigned>(size));
        Queue queue(hub, *transport, plan);
        for (int round = 0; round < 2; ++round) {
            if (rank == plan.owner) {
                const auto keys = take_all(queue, most);
                for (const int pusher : plan.pushers) {
                    std::vector<std::int64_t> expected;
                    for (int item = 0; item < items + pusher; ++item) {
                        expected.push_back(item * 31 + round);
                    }
                    EXPECT_EQ(keys.contains(pusher) ? keys.at(pusher) : decltype(expected){},
                              expected);
                }
                EXPECT_LE(queue.high_water(), plan.bound);
            } else {
                for (int item = 0; item < items + rank; ++item) {
                    if (rank == slow) {
                        std::this_thread::sleep_for(std::chrono::microseconds(50));
                    }
                    push(queue, rank, item * 31 + round);
                }
                queue.close();
            }
            world.barrier();
        }
    }
}

TEST_P(QueueTest, GivesMemoryForPayloadsThatAreFilledBeforeOthersArePushed) {
    Queue queue(hub, *transport,
                {.pushers = others, .bound = 4, .largest = kibibytes(2), .outgoing = 3});
    constexpr int items = 40;
    if (rank == 0) {
        const auto keys = take_all(queue, 2);
        for (const int other : others) {
            EXPECT_EQ(std::ssize(keys.at(other)), items);
            EXPECT_TRUE(std::ranges::is_sorted(keys.at(other)));
        }
    } else {
        const auto fill = [&](std::int64_t key, int others_first) {
            const auto memory = queue.next(others_first);
            EXPECT_EQ(memory.data(), queue.next(others_first).data());
            std::ranges::copy(payload_of(rank, key), memory.data());
        };
        fill(0, 0);
        fill(1, 1);
        for (std::int64_t item = 0; item < items; ++item) {
            if (item + 2 < items) {
                fill(item + 2, 2);
            }
            queue.push(item, {std::ssize(payload_of(rank, item))});
        }
        EXPECT_THROW(queue.next(3), Failure);
        EXPECT_THROW(queue.next(-1), Failure);
        queue.close();
    }
    world.barrier();
}

TEST_P(QueueTest, HoldsAtMostItsBound) {
    Queue queue(hub, *transport, {.pushers = others, .bound = 2, .largest = kibibytes(2)});
    if (rank == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        while (hub.serve()) {
        }
        EXPECT_LE(queue.high_water(), 2) << "while nothing was taken out";
        EXPECT_EQ(std::ssize(take_all(queue, 1)), size - 1);
        EXPECT_LE(queue.high_water(), 2);
    } else {
        for (int item = 0; item < 20; ++item) {
            push(queue, rank, item);
        }
        queue.close();
    }
    world.barrier();
}

TEST_P(QueueTest, DequeuesTheSmallestKeyFirst) {
    Queue queue(hub, *transport,
                {.pushers = others,
                 .bound = 3 * size,
                 .largest = {},
                 .order = DequeueOrder::key,
                 .outgoing = 3});
    if (rank == 0) {
        world.barrier();  // everything has been pushed
        std::vector<std::int64_t> keys;
        for (auto items = queue.dequeue(2); !items.empty(); items = queue.dequeue(2)) {
            for (const Item& item : items) {
                keys.push_back(item.key);
            }
        }
        EXPECT_EQ(std::ssize(keys), 3 * (size - 1));
        EXPECT_TRUE(std::ranges::is_sorted(keys));
    } else {
        for (const std::int64_t key : {100 + rank, 50 + rank, 70 + rank}) {
            queue.push(key, {});
        }
        world.barrier();
        queue.close();
    }
    world.barrier();
}

TEST_P(QueueTest, KeepsTwoQueuesBetweenTheSameRanksApart) {
    Queue there(hub, *transport, {.pushers = others, .bound = 1, .largest = kibibytes(2)});
    Queue back(hub, *transport, {.owner = 1, .pushers = {0}, .bound = 1, .largest = kibibytes(2)});
    // A request and its answer, many times: rank 0 answers what rank 1 sends.
    for (int turn = 0; turn < 100; ++turn) {
        if (rank == 1) {
            push(there, 1, turn);
            const auto answer = back.dequeue(1);
            ASSERT_EQ(answer.size(), 1U);
            EXPECT_EQ(answer[0].key, 2 * turn);
            back.release();
        } else if (rank == 0) {
            const auto question = there.dequeue(1);
            ASSERT_EQ(question.size(), 1U);
            const std::int64_t key = question[0].key;
            there.release();
            push(back, 0, 2 * key);
        }
    }
    if (rank == 0) {
        back.close();
        EXPECT_TRUE(there.dequeue(1).empty());
    } else {
        there.close();
        if (rank == 1) {
            EXPECT_TRUE(back.dequeue(1).empty());
        }
    }
    world.barrier();
}

TEST_P(QueueTest, RefusesImpossiblePlans) {
    const auto refused = [&](QueuePlan plan) {
        return message_of<Failure>([&] { Queue(hub, *transport, plan); });
    };
    EXPECT_THAT(refused({.owner = size, .pushers = {0}}), HasSubstr("owner"));
    EXPECT_THAT(refused({.pushers = {0}}), HasSubstr("other rank"));
    EXPECT_THAT(refused({.pushers = {1, 1}}), HasSubstr("ascending"));
    EXPECT_THAT(refused({.pushers = {1}, .bound = 0}), HasSubstr("at least one"));
    Queue queue(hub, *transport, {.pushers = others, .bound = 1, .largest = {8}});
    if (rank == 0) {
        EXPECT_THROW(queue.next(), Failure);
    } else {
        EXPECT_THROW(queue.dequeue(1), Failure);
    }
    world.barrier();
}

INSTANTIATE_TEST_SUITE_P(Transports, QueueTest, testing::ValuesIn(transports_of_queues()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace quartet::flow
