#include "flow/queue.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "comm/transport/registry/transport_registry.hpp"
#include "core/message_of.hpp"
#include "device/host/host_device.hpp"
#include "flow/broadcast.hpp"

namespace quartet::flow {
namespace {

using testing::HasSubstr;

// All that move payloads of the host's memory.
std::vector<std::string> transports_of_queues() {
    const auto registry = comm::TransportRegistry::standard();
    auto names = registry.names();
    std::erase_if(names, [&](const std::string& name) {
        return !registry.traits(name).moves(device::MemoryKind::host);
    });
    return names;
}

/// Queues over one transport; rank 0 owns them unless a test says otherwise.
class QueueTest : public testing::TestWithParam<std::string> {
  protected:
    // Skips the test, on all ranks alike, where the transport cannot be had.
    void SetUp() override {
        const auto registry = comm::TransportRegistry::standard();
        const comm::TransportContext context{world, topology, *device, trace, {}};
        if (const auto reason = registry.why_not(GetParam(), context)) {
            GTEST_SKIP() << *reason;
        }
        transport = registry.make(GetParam(), context);
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
    device::Arena arena{*device, device::Arena::Mode::allocate};
    MessageDispatcher dispatcher{arena, world};
};

INSTANTIATE_TEST_SUITE_P(Transports, QueueTest, testing::ValuesIn(transports_of_queues()),
                         [](const auto& instance) { return instance.param; });

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
    for (int shape = 0; shape < 16; ++shape) {
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
        Queue queue(arena, dispatcher, *transport, plan);
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
    Queue queue(arena, dispatcher, *transport,
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

TEST_P(QueueTest, DequeuesTheSmallestKeyFirst) {
    Queue queue(arena, dispatcher, *transport,
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

TEST_P(QueueTest, RefusesImpossiblePlans) {
    const auto refused = [&](QueuePlan plan) {
        return message_of<Failure>([&] { Queue(arena, dispatcher, *transport, plan); });
    };
    EXPECT_THAT(refused({.owner = size, .pushers = {0}}), HasSubstr("owner"));
    EXPECT_THAT(refused({.pushers = {0}}), HasSubstr("other rank"));
    EXPECT_THAT(refused({.pushers = {1, 1}}), HasSubstr("ascending"));
    EXPECT_THAT(refused({.pushers = {1}, .bound = 0}), HasSubstr("at least one"));
    Queue queue(arena, dispatcher, *transport, {.pushers = others, .bound = 1, .largest = {8}});
    if (rank == 0) {
        EXPECT_THROW(queue.next(), Failure);
    } else {
        EXPECT_THROW(queue.dequeue(1), Failure);
    }
    world.barrier();
}

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

TEST_P(QueueTest, KeepsKeyOrderForAnyQueueBound) {
    std::mt19937 shapes(11);  // the same on all ranks
    for (int shape = 0; shape < 24; ++shape) {
        const Distribution numbers(shapes, size, static_cast<int>(shapes() % 60));
        const int bound = 1 + static_cast<int>(shapes() % 5);
        const int most = 1 + static_cast<int>(shapes() % 4);
        const int places = 1 + static_cast<int>(shapes() % 3);
        const int slow = static_cast<int>(shapes() % static_cast<unsigned>(size));
        std::vector<int> pushers(others.begin() + numbers.owners - 1, others.end());
        std::vector<std::unique_ptr<Queue>> queues;
        for (int owner = 0; owner < numbers.owners; ++owner) {
            queues.push_back(std::make_unique<Queue>(arena, dispatcher, *transport,
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

TEST_P(QueueTest, RefusesAKeyThatASequenceHasHad) {
    Queue queue(
        arena, dispatcher, *transport,
        {.pushers = others, .bound = 2 * size, .largest = {8}, .order = DequeueOrder::sequence});
    if (rank == 1) {
        queue.push(0, {});
        queue.push(0, {});
    } else if (rank == 0) {
        EXPECT_THAT(message_of<Failure>([&] { dispatcher.serve_until([] { return false; }); }),
                    HasSubstr("twice"));
    }
    world.barrier();
}

TEST_P(QueueTest, ABroadcastSendsPayloadsTooLargeForTheirAnnouncements) {
    constexpr std::ptrdiff_t longest = 100000;
    Broadcast texts(arena, dispatcher, *transport, 0, others, {longest});
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

TEST_P(QueueTest, ABroadcastRefusesReceiversThatAreNoOtherRanks) {
    EXPECT_THROW(Broadcast(arena, dispatcher, *transport, 0, {0}, {8}), Failure);
    EXPECT_THROW(Broadcast(arena, dispatcher, *transport, 0, {size}, {8}), Failure);
    EXPECT_THROW(Broadcast(arena, dispatcher, *transport, 0, {1, 1}, {8}), Failure);
}

}  // namespace
}  // namespace quartet::flow
