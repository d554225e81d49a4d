#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "comm/transport/transport_contract.hpp"

namespace quartet::comm {

namespace {

using Data = std::vector<std::byte>;

// What `from` has for `to` in message number `message`: different for each.
Data data_for(int from, int to, int message, std::int64_t count) {
    std::mt19937 engine(static_cast<unsigned>(from * 10007 + to * 101 + message));
    Data data(static_cast<std::size_t>(count));
    std::ranges::generate(data, [&] { return static_cast<std::byte>(engine() & 0xff); });
    return data;
}

void append(Data& all, const Data& more) {
    all.insert(all.end(), more.begin(), more.end());
}

// Bytes from one rank to another: different ones, some none, some large.
std::int64_t ragged(int from, int to) {
    constexpr std::int64_t counts[] = {13, 0, 4097, 1, 70001, 64};
    return counts[(2 * from + 3 * to) % 6];
}

std::vector<double> contribution_of(int rank, std::int64_t count) {
    std::mt19937_64 engine(static_cast<unsigned>(rank + 1));
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(static_cast<std::size_t>(count));
    std::ranges::generate(values, [&] { return uniform(engine); });
    return values;
}

}  // namespace

TEST_P(ExchangeContract, MessagesArriveWholeAndInOrder) {
    if (transport->traits().receive == Receive::in_place) {
        GTEST_SKIP() << "it has no messages";
    }
    const std::vector<std::int64_t> counts{0, 1, 3, 0, 1000, 300001, 8};
    const auto exchange = [&](int from, int to) {
        for (int message = 0; message < std::ssize(counts); ++message) {
            const std::int64_t count = counts[static_cast<std::size_t>(message)];
            const bool takes_part = rank == from || rank == to;
            auto buffer = upload(takes_part ? data_for(rank, to, message, count) : Data());
            if (rank == from) {
                transport->send(buffer.view(), to, *stream);
            } else if (rank == to) {
                transport->receive(buffer.view(), from, *stream);
                stream->synchronize();
                EXPECT_EQ(read(buffer.view()), data_for(from, to, message, count)) << message;
            }
        }
    };
    for (int from = 0; from < size; ++from) {
        for (int to = 0; to < size; ++to) {
            if (from != to) {
                exchange(from, to);
            }
        }
    }
}

TEST_P(ExchangeContract, AllGatherConcatenatesRaggedPartsByRank) {
    for (int round = 0; round < 3; ++round) {
        std::vector<std::int64_t> counts;
        Data expected;
        for (int r = 0; r < size; ++r) {
            counts.push_back(ragged(r, round));
            append(expected, data_for(r, 0, round, counts.back()));
        }
        auto mine = upload(data_for(rank, 0, round, counts[static_cast<std::size_t>(rank)]));
        auto gathered = allocate<std::byte>(*arena, *transport, std::ssize(expected));

        const auto all_gather =
            transport->prepare_all_gather(*arena, {mine.view(), gathered.view(), counts});
        all_gather->run(*stream);
        stream->synchronize();

        EXPECT_EQ(read(gathered.view()), expected) << round;
    }
}

TEST_P(ExchangeContract, AnAllGatherRunsAgainWithNewValuesAndInPlace) {
    constexpr std::int64_t count = 100;
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size), count);
    auto all = allocate<std::byte>(*arena, *transport, size * count);
    const auto mine = all.view().part(rank * count, count);
    const auto all_gather = transport->prepare_all_gather(*arena, {mine, all.view(), counts});
    for (int round = 0; round < 20; ++round) {
        write(data_for(rank, 0, round, count), mine);
        all_gather->run(*stream);
        stream->synchronize();
        for (int r = 0; r < size; ++r) {
            EXPECT_EQ(read(all.view().part(r * count, count)), data_for(r, 0, round, count));
        }
    }
}

// As conjugate gradients use it: every round writes between a sum and the next.
TEST_P(ExchangeContract, AnAllGatherBetweenTheCallersSumsHasTheValuesOfItsRound) {
    constexpr std::int64_t count = 1000;
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size), count);
    auto mine = allocate<std::byte>(*arena, *transport, count);
    auto gathered = allocate<std::byte>(*arena, *transport, size * count);
    const auto all_gather = transport->prepare_all_gather(
        *arena, {mine.view(), gathered.view(), counts, {.before = true, .after = true}});
    const auto sum = transport->prepare_allreduce(*arena, 1);
    const auto meet = [&] {
        stream->synchronize();
        double one = 1;
        sum->run({&one, 1});
        EXPECT_EQ(one, size);
    };
    for (int round = 0; round < 20; ++round) {
        const Data values = data_for(rank, 0, round, count);
        fill_late(values, mine.view());
        meet();
        all_gather->run(*stream);
        meet();
        Data expected;
        for (int r = 0; r < size; ++r) {
            append(expected, data_for(r, 0, round, count));
        }
        ASSERT_EQ(read(gathered.view()), expected) << round;
    }
}

TEST_P(ExchangeContract, AllToAllTransposesRaggedParts) {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> received;
    std::int64_t total = 0;
    for (int other = 0; other < size; ++other) {
        counts.push_back(ragged(rank, other));
        received.push_back(ragged(other, rank));
        total += counts.back();
    }
    auto send = allocate<std::byte>(*arena, *transport, total);
    const auto exchange = transport->prepare_exchange(
        *arena, {consecutive(device::View<const std::byte>(send.view()), counts), received});
    for (int round = 0; round < 20; ++round) {
        Data sent;
        for (int other = 0; other < size; ++other) {
            append(sent, data_for(rank, other, round, ragged(rank, other)));
        }
        write(sent, send.view());

        exchange->run(*stream);

        ASSERT_EQ(std::ssize(exchange->parts()), size);
        for (int other = 0; other < size; ++other) {
            const auto part = exchange->parts()[static_cast<std::size_t>(other)];
            auto copied = device::allocate<std::byte>(*device, part.size());
            device->copy(part, copied.view(), *stream);
            stream->synchronize();
            EXPECT_EQ(read(copied.view()), data_for(other, rank, round, ragged(other, rank)));
        }
        exchange->release(*stream);
        EXPECT_EQ(read(send.view()), sent) << "what was sent";
    }
}

// Only these wait for each other. What is received lands where it belongs.
TEST_P(ExchangeContract, NeighboursExchangeTheirRows) {
    constexpr std::int64_t row = 1000;
    auto rows = allocate<std::byte>(*arena, *transport, 2 * row);
    auto others = device::allocate<std::byte>(*device, 2 * row);
    ExchangePlan plan{
        .send = std::vector<device::View<const std::byte>>(static_cast<std::size_t>(size)),
        .receive = std::vector<std::int64_t>(static_cast<std::size_t>(size)),
        .land = std::vector<device::View<std::byte>>(static_cast<std::size_t>(size))};
    const std::vector<int> neighbours{rank - 1, rank + 1};
    for (int side = 0; side < 2; ++side) {
        const auto neighbour = static_cast<std::size_t>(neighbours[static_cast<std::size_t>(side)]);
        if (neighbour < static_cast<std::size_t>(size)) {
            plan.send[neighbour] = rows.view().part(side * row, row);
            plan.receive[neighbour] = row;
            plan.land[neighbour] = others.view().part(side * row, row);
        }
    }
    const auto exchange = transport->prepare_exchange(*arena, plan);
    for (int round = 0; round < 20; ++round) {
        for (int side = 0; side < 2; ++side) {
            write(data_for(rank, side, round, row), rows.view().part(side * row, row));
        }
        exchange->run(*stream);
        stream->synchronize();
        for (int side = 0; side < 2; ++side) {
            const int neighbour = neighbours[static_cast<std::size_t>(side)];
            if (neighbour < 0 || neighbour >= size) {
                continue;
            }
            const auto& part = exchange->parts()[static_cast<std::size_t>(neighbour)];
            EXPECT_EQ(read(part), data_for(neighbour, 1 - side, round, row));
            EXPECT_EQ(part.data() == plan.land[static_cast<std::size_t>(neighbour)].data(),
                      transport->traits().receive == Receive::copied);
        }
        exchange->release(*stream);
    }
}

TEST_P(ExchangeContract, MessagesOfDifferentLanesMayOvertakeEachOther) {
    const TransportTraits& traits = transport->traits();
    if (traits.receive == Receive::in_place || traits.memory == TransportMemory::gpu) {
        GTEST_SKIP() << "it has no lanes";
    }
    const int early = transport->new_lane(*arena);
    const int late = transport->new_lane(*arena);
    const int to = (rank + 1) % size;
    const int from = (rank + size - 1) % size;
    auto mine = allocate<std::byte>(*arena, *transport, 1000);
    auto theirs = allocate<std::byte>(*arena, *transport, 1000);
    for (int round = 0; round < 20; ++round) {
        write(data_for(rank, 0, round, 1000), mine.view());
        const device::View<const std::byte> all = mine.view();
        const std::array<Outgoing, 4> out{Outgoing{to, all.part(0, 700), early},
                                          {to, all.part(700, 100), late},
                                          {to, all.part(0, 0), late},
                                          {to, all.part(800, 200), late}};
        const std::array<Incoming, 3> last{Incoming{from, theirs.view().part(700, 100), late},
                                           {from, theirs.view().part(0, 0), late},
                                           {from, theirs.view().part(800, 200), late}};
        const Incoming first{from, theirs.view().part(0, 700), early};
        Ticket sent = transport->start(out, {}, *stream);
        Ticket ticket = transport->start({}, last, *stream);
        transport->wait(ticket, *stream);
        ticket = transport->start({}, {&first, 1}, *stream);
        transport->wait(ticket, *stream);
        transport->wait(sent, *stream);
        EXPECT_EQ(sent.slot, -1);
        EXPECT_EQ(read(theirs.view()), data_for(from, 0, round, 1000));
    }
    if (size > 1) {
        const Outgoing out{to, mine.view().part(0, 100), early};
        const Incoming in{from, theirs.view().part(0, 200), early};
        Ticket sent = transport->start({&out, 1}, {}, *stream);
        Ticket received = transport->start({}, {&in, 1}, *stream);
        EXPECT_THROW(transport->wait(received, *stream), Failure) << "another size";
        try {
            transport->wait(sent, *stream);
        } catch (const Failure&) {  // the sender may notice, too
        }
    }
    world.barrier();
}

TEST_P(ExchangeContract, ReduceScatterAddsLikeASerialSumAndToTheSameBits) {
    std::vector<std::int64_t> counts;
    for (int r = 0; r < size; ++r) {
        counts.push_back(ragged(r, 1));
    }
    const std::int64_t total = std::reduce(counts.begin(), counts.end());
    const std::int64_t first = std::reduce(counts.begin(), counts.begin() + rank);
    auto contribution = upload(contribution_of(rank, total));
    auto mine = allocate<double>(*arena, *transport, counts[static_cast<std::size_t>(rank)]);
    auto again = allocate<double>(*arena, *transport, mine.size());
    write(std::vector<double>(static_cast<std::size_t>(mine.size()), 99.0),
          mine.view());  // what was there does not count

    // Both live until the stream has done their work: it may be in memory of theirs.
    const auto first_sum =
        transport->prepare_reduce_scatter(*arena, {contribution.view(), mine.view(), counts});
    const auto second_sum =
        transport->prepare_reduce_scatter(*arena, {contribution.view(), again.view(), counts});
    first_sum->run(*stream);
    second_sum->run(*stream);
    stream->synchronize();

    std::vector<double> serial(static_cast<std::size_t>(mine.size()));
    for (int r = 0; r < size; ++r) {
        const std::vector<double> values = contribution_of(r, total);
        for (std::size_t index = 0; index < serial.size(); ++index) {
            serial[index] += values[static_cast<std::size_t>(first) + index];
        }
    }
    const std::vector<double> found = read(mine.view());
    double largest_error = 0;
    for (std::size_t index = 0; index < serial.size(); ++index) {
        largest_error = std::max(largest_error, std::abs(found[index] - serial[index]));
    }
    EXPECT_LE(largest_error, 1e-14);
    EXPECT_EQ(read(mine.view()), read(again.view()));
    EXPECT_EQ(read(contribution.view()), contribution_of(rank, total)) << "the contribution";
}

TEST_P(ExchangeContract, FollowsTheStreamsEarlierWorkAndPrecedesLaterWork) {
    const std::int64_t count = 1000;
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size), count);
    const Data values = data_for(rank, 0, 0, count);
    auto mine = allocate<std::byte>(*arena, *transport, count);
    auto gathered = allocate<std::byte>(*arena, *transport, size * count);
    auto copied = allocate<std::byte>(*arena, *transport, size * count);

    const auto all_gather =
        transport->prepare_all_gather(*arena, {mine.view(), gathered.view(), counts});
    fill_late(values, mine.view());
    all_gather->run(*stream);
    device->copy(gathered.view(), copied.view(), *stream);
    stream->synchronize();

    Data expected;
    for (int r = 0; r < size; ++r) {
        append(expected, data_for(r, 0, 0, count));
    }
    EXPECT_EQ(read(copied.view()), expected);
}

}  // namespace quartet::comm
