#include "flow/queue.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "comm/transport/transport_registry.hpp"
#include "core/message_of.hpp"
#include "device/host/runtime/host_device.hpp"
#include "flow/publication.hpp"

namespace quartet::flow {
namespace {

using testing::HasSubstr;

/// Queues over one transport; rank 0 owns them unless a test says otherwise.
class QueueTest : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        transport = comm::TransportRegistry::standard().make(GetParam(),
                                                             {world, topology, *device, trace, {}});
        for (int other = 1; other < size; ++other) {
            others.push_back(other);
        }
    }

    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    const comm::Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
    std::unique_ptr<comm::Transport> transport;
    std::vector<int> others;
    Hub hub{world};
};

// What `from` pushes under `key`: as long as the key says, and different for each.
std::vector<std::byte> payload_of(int from, std::int64_t key) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(key % 977));
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        bytes[index] = static_cast<std::byte>(index * 7 + static_cast<std::size_t>(from + key));
    }
    return bytes;
}

void push(Queue& queue, int from, std::int64_t key) {
    const auto bytes = payload_of(from, key);
    std::ranges::copy(bytes, queue.next().data());
    queue.push(key, {std::ssize(bytes)});
}

// Takes everything out, in batches of up to `most`; the keys of each rank in the order they came.
std::map<int, std::vector<std::int64_t>> take_all(Queue& queue, int most) {
    std::map<int, std::vector<std::int64_t>> keys;
    for (auto items = queue.dequeue(most); !items.empty(); items = queue.dequeue(most)) {
        EXPECT_LE(std::ssize(items), most);
        for (const Item& item : items) {
            const auto expected = payload_of(item.from, item.key);
            const auto found = item.payload.span();
            EXPECT_TRUE(std::ranges::equal(found, expected)) << item.from << " " << item.key;
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
                       .outgoing = 1 + static_cast<int>(shapes() % 3)};
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

/// Numbers 0, 1, 2 and so on, dealt to the ranks that push and to the queues that they go to.
struct Deal {
    int owners = 1;  ///< the first ranks
    std::vector<int> pusher_of;
    std::vector<int> queue_of;
    std::vector<std::int64_t> key_of;  ///< a sequence in each queue

    Deal(std::mt19937& random, int size, int numbers)
        : owners(1 + static_cast<int>(random() % static_cast<unsigned>(size - 1))) {
        std::vector<std::int64_t> dealt(static_cast<std::size_t>(owners));
        const bool in_turn = random() % 2 == 0;
        for (int number = 0; number < numbers; ++number) {
            const int turn = in_turn ? number : static_cast<int>(random() % 1000);
            pusher_of.push_back(owners + turn % (size - owners));
            queue_of.push_back(number / 3 % owners);
            key_of.push_back(dealt[static_cast<std::size_t>(queue_of.back())]++);
        }
    }
};

TEST_P(QueueTest, KeepsKeyOrderForAnyQueueBound) {
    std::mt19937 shapes(11);  // the same on all ranks
    for (int shape = 0; shape < 60; ++shape) {
        const Deal deal(shapes, size, static_cast<int>(shapes() % 60));
        const int bound = 1 + static_cast<int>(shapes() % 5);
        const int most = 1 + static_cast<int>(shapes() % 4);
        const int places = 1 + static_cast<int>(shapes() % 3);
        const int slow = static_cast<int>(shapes() % static_cast<unsigned>(size));
        std::vector<int> pushers(others.begin() + deal.owners - 1, others.end());
        std::vector<std::unique_ptr<Queue>> queues;
        for (int owner = 0; owner < deal.owners; ++owner) {
            queues.push_back(std::make_unique<Queue>(hub, *transport,
                                                     QueuePlan{.owner = owner,
                                                               .pushers = pushers,
                                                               .bound = bound,
                                                               .largest = kibibytes(1 + shape % 2),
                                                               .order = DequeueOrder::sequence,
                                                               .outgoing = places}));
        }
        for (int round = 0; round < 2; ++round) {
            if (rank < deal.owners) {
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
                for (std::size_t number = 0; number < deal.key_of.size(); ++number) {
                    if (deal.queue_of[number] == rank) {
                        expected.emplace_back(deal.pusher_of[number], deal.key_of[number]);
                    }
                }
                EXPECT_EQ(came, expected) << "bound " << bound << ", " << places << " places";
                EXPECT_LE(mine.high_water(), bound);
            } else {
                for (std::size_t number = 0; number < deal.key_of.size(); ++number) {
                    if (deal.pusher_of[number] == rank) {
                        std::this_thread::sleep_for(
                            std::chrono::microseconds(rank == slow ? 50 : 5));
                        push(*queues[static_cast<std::size_t>(deal.queue_of[number])], rank,
                             deal.key_of[number]);
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

TEST_P(QueueTest, RefusesAKeyThatASequenceHasHad) {
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

TEST_P(QueueTest, ReducesInRankOrderAndPublishesTheSum) {
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

// All that move payloads of the host's memory.
std::vector<std::string> transports_of_queues() {
    const auto registry = comm::TransportRegistry::standard();
    auto names = registry.names();
    std::erase_if(names, [&](const std::string& name) {
        const comm::TransportTraits& traits = registry.traits(name);
        return !traits.moves(device::MemoryKind::host) ||
               !traits.can(comm::Capability::payload_channel);
    });
    return names;
}

INSTANTIATE_TEST_SUITE_P(Transports, QueueTest, testing::ValuesIn(transports_of_queues()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace quartet::flow
