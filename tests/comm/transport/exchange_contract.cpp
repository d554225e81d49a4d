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
    if (!can(Capability::send_receive)) {
        GTEST_SKIP() << "not declared";
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
    if (!can(Capability::all_gather)) {
        GTEST_SKIP() << "not declared";
    }
    for (int round = 0; round < 3; ++round) {
        std::vector<std::int64_t> counts;
        Data expected;
        for (int r = 0; r < size; ++r) {
            counts.push_back(ragged(r, round));
            append(expected, data_for(r, 0, round, counts.back()));
        }
        auto mine = upload(data_for(rank, 0, round, counts[static_cast<std::size_t>(rank)]));
        auto gathered = allocate<std::byte>(*transport, std::ssize(expected));

        const auto all_gather =
            transport->prepare_all_gather({mine.view(), gathered.view(), counts});
        all_gather->run(*stream);
        stream->synchronize();

        EXPECT_EQ(read(gathered.view()), expected) << round;
    }
}

TEST_P(ExchangeContract, AnAllGatherRunsAgainWithNewValuesAndInPlace) {
    if (!can(Capability::all_gather)) {
        GTEST_SKIP() << "not declared";
    }
    constexpr std::int64_t count = 100;
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size), count);
    auto all = allocate<std::byte>(*transport, size * count);
    const auto mine = all.view().part(rank * count, count);
    const auto all_gather = transport->prepare_all_gather({mine, all.view(), counts});
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
    if (!can(Capability::all_gather)) {
        GTEST_SKIP() << "not declared";
    }
    constexpr std::int64_t count = 1000;
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size), count);
    auto mine = allocate<std::byte>(*transport, count);
    auto gathered = allocate<std::byte>(*transport, size * count);
    const auto all_gather = transport->prepare_all_gather(
        {mine.view(), gathered.view(), counts, {.before = true, .after = true}});
    const auto sum = transport->prepare_ordered_sum(world, 1);
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
    if (!can(Capability::all_to_all)) {
        GTEST_SKIP() << "not declared";
    }
    std::vector<std::int64_t> counts;
    std::int64_t total = 0;
    for (int other = 0; other < size; ++other) {
        counts.push_back(ragged(rank, other));
        total += counts.back();
    }
    auto send = allocate<std::byte>(*transport, total);
    const auto exchange = transport->prepare_exchange({send.view(), counts});
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

TEST_P(ExchangeContract, ReduceScatterAddsLikeASerialSumAndToTheSameBits) {
    if (!can(Capability::reduce_scatter)) {
        GTEST_SKIP() << "not declared";
    }
    std::vector<std::int64_t> counts;
    for (int r = 0; r < size; ++r) {
        counts.push_back(ragged(r, 1));
    }
    const std::int64_t total = std::reduce(counts.begin(), counts.end());
    const std::int64_t first = std::reduce(counts.begin(), counts.begin() + rank);
    auto contribution = upload(contribution_of(rank, total));
    auto mine = allocate<double>(*transport, counts[static_cast<std::size_t>(rank)]);
    auto again = allocate<double>(*transport, mine.size());
    write(std::vector<double>(static_cast<std::size_t>(mine.size()), 99.0),
          mine.view());  // what was there does not count

    // Both live until the stream has done their work: it may be in memory of theirs.
    const auto first_sum =
        transport->prepare_reduce_scatter({contribution.view(), mine.view(), counts});
    const auto second_sum =
        transport->prepare_reduce_scatter({contribution.view(), again.view(), counts});
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
    if (!can(Capability::all_gather)) {
        GTEST_SKIP() << "not declared";
    }
    const std::int64_t count = 1000;
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(size), count);
    const Data values = data_for(rank, 0, 0, count);
    auto mine = allocate<std::byte>(*transport, count);
    auto gathered = allocate<std::byte>(*transport, size * count);
    auto copied = allocate<std::byte>(*transport, size * count);

    const auto all_gather = transport->prepare_all_gather({mine.view(), gathered.view(), counts});
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
