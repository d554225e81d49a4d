#include "bench/measure/probes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>

#include "comm/transport/registry/transport_registry.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ProbesTest : public testing::Test {
  protected:
    std::unique_ptr<comm::Transport> make_transport(const char* name = "mpi") {
        return comm::TransportRegistry::standard().make(name,
                                                        {world, topology, *device, trace, {}});
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const int rank = world.rank();
    const int size = world.size();
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
    std::unique_ptr<device::Stream> stream = device->make_stream("probe");
};

TEST_F(ProbesTest, MemoryTrafficIsThatOfThePattern) {
    const auto traffic = [&](AccessPattern pattern) {
        return MemoryProbe(*device, pattern, kibibytes(64)).traffic();
    };
    EXPECT_EQ(traffic(AccessPattern::read), kibibytes(64));
    EXPECT_EQ(traffic(AccessPattern::copy), kibibytes(128));
    EXPECT_EQ(traffic(AccessPattern::add), kibibytes(192));
    EXPECT_EQ(traffic(AccessPattern::update), kibibytes(192));
}

TEST_F(ProbesTest, APassTakesTimeThatGrowsWithItsSize) {
    for (const AccessPattern pattern :
         {AccessPattern::read, AccessPattern::copy, AccessPattern::add, AccessPattern::update}) {
        MemoryProbe small(*device, pattern, kibibytes(16));
        MemoryProbe large(*device, pattern, mebibytes(4));
        double little = small.measure(20, *stream).value;
        for (int time = 0; time < 10; ++time) {  // the best one: the machine may be busy
            little = std::min(little, small.measure(20, *stream).value);
        }
        EXPECT_GT(little, 0);
        EXPECT_GT(large.measure(2, *stream).value, 4 * little) << "256 times as much";
    }
}

TEST_F(ProbesTest, PassesFillTheTimeThatTheyAreGiven) {
    MemoryProbe probe(*device, AccessPattern::add, kibibytes(16));
    EXPECT_EQ(probe.passes_for({1e-12}, 100, *stream), 1) << "at least one";
    EXPECT_EQ(probe.passes_for({1000}, 100, *stream), 100) << "no more than allowed";
    EXPECT_GT(probe.passes_for({0.1}, 1 << 20, *stream), 1);
    EXPECT_EQ(probe_time_beside({0.1}), probe_time);
    EXPECT_EQ(probe_time_beside({4}), Seconds{0.4});
    EXPECT_EQ(probe_time_beside({0.8}, 1), Seconds{0.8});
    EXPECT_EQ(probe_time_beside({86400}), Seconds{2}) << "a day's run still begins at once";
}

TEST_F(ProbesTest, APassOverOneOfManySourcesMovesAsMuch) {
    MemoryProbe probe(*device, AccessPattern::add, kibibytes(16), 3);
    EXPECT_EQ(probe.traffic(), MemoryProbe(*device, AccessPattern::add, kibibytes(16)).traffic());
    EXPECT_GT(probe.measure(7, *stream).value, 0);
}

TEST_F(ProbesTest, MemoryOfTheCasesOwnIsReadOrCopied) {
    auto source = device::allocate<double>(*device, 1000);
    auto target = device::allocate<double>(*device, 1000);
    std::ranges::fill(source.span(), 2.5);
    MemoryProbe reading(*device, std::as_const(source).view());
    MemoryProbe copying(*device, std::as_const(source).view(), target.view());
    EXPECT_EQ(reading.traffic(), Bytes{8000});
    EXPECT_EQ(copying.traffic(), Bytes{16000});
    EXPECT_GT(reading.measure(2, *stream).value, 0);
    EXPECT_GT(copying.measure(2, *stream).value, 0);
    EXPECT_EQ(target.span()[999], 2.5);
}

TEST_F(ProbesTest, TheFastestWayThroughMemoryIsChosenOnce) {
    auto source = device::allocate<double>(*device, 1 << 20);
    MemoryProbe probe(*device, std::as_const(source).view());
    int calls = 0;
    probe.add_way("at once", [&](device::Stream& /*order*/) { ++calls; });
    EXPECT_EQ(probe.way(), "");

    probe.choose_way(*stream);

    EXPECT_EQ(probe.way(), "at once");
    const int trials = calls;
    probe.measure(7, *stream);
    EXPECT_EQ(calls, trials + 7);
}

TEST_F(ProbesTest, AnEarlierProbesWayIsTakenForNewMemoryOfItsSize) {
    FoundWays found;
    MemoryProbe first(*device, AccessPattern::add, kibibytes(64), 1, &found);
    first.choose_way(*stream);
    ASSERT_EQ(found.size(), 1U);

    const auto ways = device->vectors().ways(AccessPattern::add);
    ASSERT_GT(ways.size(), 1U);
    for (std::size_t place = 0; place < ways.size(); ++place) {
        found.begin()->second = place;
        MemoryProbe second(*device, AccessPattern::add, kibibytes(64), 1, &found);
        second.choose_way(*stream);
        EXPECT_EQ(second.way(), to_string(ways[place]));
    }
    MemoryProbe other(*device, AccessPattern::add, kibibytes(32), 1, &found);
    other.choose_way(*stream);
    EXPECT_EQ(found.size(), 2U) << "another size chooses anew";
}

TEST_F(ProbesTest, AWayThatIsSlowerIsNotChosen) {
    auto source = device::allocate<double>(*device, 1 << 12);
    MemoryProbe probe(*device, std::as_const(source).view());
    probe.add_way("late", [](device::Stream& /*order*/) {
        const Seconds end = now() + Seconds{0.005};
        while (now() < end) {
        }
    });
    probe.choose_way(*stream);
    EXPECT_THAT(probe.way(), HasSubstr("stream"));
}

TEST_F(ProbesTest, EachWayOfTheDevicePassesOverMemory) {
    device::VectorOperations& vectors = device->vectors();
    auto source = device::allocate<double>(*device, 1001);
    auto target = device::allocate<double>(*device, 1001);
    auto sum = device::allocate<double>(*device, 1);
    std::ranges::fill(source.span(), 2.0);
    const auto from = device::as_bytes(std::as_const(source).view());
    for (const device::MemoryWay way : vectors.ways(AccessPattern::read)) {
        sum.span()[0] = 0;
        vectors.pass({AccessPattern::read, from, device::as_bytes(sum.view())}, way, *stream);
        EXPECT_EQ(sum.span()[0], 4004) << to_string(way);
    }
    for (const device::MemoryWay way : vectors.ways(AccessPattern::copy)) {
        target.span()[1000] = 0;
        vectors.pass({AccessPattern::copy, from, device::as_bytes(target.view())}, way, *stream);
        EXPECT_EQ(target.span()[1000], 2) << to_string(way);
    }
    for (const device::MemoryWay way : vectors.ways(AccessPattern::update)) {
        target.span()[1000] = 5;
        vectors.pass({AccessPattern::update, from, device::as_bytes(target.view())}, way, *stream);
        EXPECT_EQ(target.span()[1000], 6) << to_string(way);
    }
    EXPECT_THROW(
        vectors.pass({AccessPattern::copy, from, device::as_bytes(sum.view())}, {}, *stream),
        Failure);
}

TEST_F(ProbesTest, ChoicesThatDifferAreSaidByRanks) {
    EXPECT_EQ(by_ranks("A", world), "A");
    EXPECT_EQ(by_ranks("", world), "");
    const std::string text = by_ranks(rank == 0 ? "A" : "B", world);
    EXPECT_EQ(text, size == 1 ? "A"
                              : fmt::format("A on 1 of {} ranks, B on {} of {} ranks", size,
                                            size - 1, size));
}

TEST_F(ProbesTest, AProductCountsItsOperations) {
    EXPECT_EQ(SgemmProbe(*device, 4).flops().value, 2 * 64 - 16);
    SgemmProbe probe(*device, 64);
    EXPECT_GT(probe.measure(*stream).value, 0);
}

TEST_F(ProbesTest, BothEndsOfAPairMeasureTheMessageAndNobodyElseDoes) {
    if (size < 2) {
        GTEST_SKIP() << "one rank has no pair";
    }
    const auto transport = make_transport();
    for (const auto& [from, to] : {std::pair(0, size - 1), std::pair(size - 1, 0)}) {
        PairProbe probe(*transport, world, from, to, kibibytes(64));
        const Seconds message = probe.measure(5, *stream);
        if (rank == from || rank == to) {
            EXPECT_GT(message.value, 0);
        } else {
            EXPECT_EQ(message.value, 0);
        }
    }
}

TEST_F(ProbesTest, AnExchangeTakesTheSameTimeOnAllRanks) {
    for (const char* name : {"mpi", "shm"}) {
        const auto transport = make_transport(name);
        AllToAllProbe probe(*transport, world, *device, kibibytes(60));
        const double seconds = probe.measure(*stream).value;
        EXPECT_GT(seconds, 0) << name;
        for (const double other : world.gather(seconds)) {
            EXPECT_EQ(other, seconds) << name;
        }
        EXPECT_EQ(probe.sent().value, (size - 1) * kibibytes(60).value);
    }
}

class StorageProbeTest : public testing::Test {
  protected:
    // Not a whole number of blocks, so that the last reading is a short one.
    static constexpr std::int64_t length = (5 << 20) + 12345;

    StorageProbeTest() { write_text(file, std::string(length, 'x')); }

    TemporaryFolder folder;
    const std::filesystem::path file = folder / "data";
};

TEST_F(StorageProbeTest, ReadsAFileFromTheCache) {
    StorageProbe probe(file, FileCache::warm);
    EXPECT_EQ(probe.size().value, length);
    EXPECT_GT(probe.measure().value, 0);
    EXPECT_GT(probe.measure().value, 0) << "again";
}

TEST_F(StorageProbeTest, ReadsAFilePastTheCache) {
    const FileDescriptor direct(open(file.c_str(), O_RDONLY | O_DIRECT));
    if (direct.get() < 0) {
        EXPECT_THAT(message_of<Failure>([&] { StorageProbe(file, FileCache::direct); }),
                    HasSubstr("no direct input"));
        GTEST_SKIP() << "the temporary folder's file system has no direct input";
    }
    StorageProbe probe(file, FileCache::direct);
    EXPECT_EQ(probe.size().value, length);
    EXPECT_GT(probe.measure().value, 0);
}

TEST_F(StorageProbeTest, ReadsAFileThatIsForgottenBefore) {
    StorageProbe probe(file, FileCache::drop);
    EXPECT_GT(probe.measure().value, 0);
}

TEST_F(StorageProbeTest, AnEmptyFileIsReadAtOnce) {
    write_text(folder / "empty", "");
    StorageProbe probe(folder / "empty", FileCache::warm);
    EXPECT_EQ(probe.size().value, 0);
    EXPECT_NO_THROW(probe.measure());
}

TEST_F(StorageProbeTest, WantsAFileThatIsThere) {
    EXPECT_THAT(message_of<Failure>([&] { StorageProbe(folder / "none", FileCache::warm); }),
                AllOf(HasSubstr("none"), HasSubstr("No such file"), Not(HasSubstr("\n"))));
    EXPECT_THROW(StorageProbe(folder.path(), FileCache::warm), Failure) << "a folder";
}

TEST_F(StorageProbeTest, AFileThatShrinksIsAFailure) {
    StorageProbe probe(file, FileCache::warm);
    std::filesystem::resize_file(file, 1000);
    EXPECT_THAT(message_of<Failure>([&] { probe.measure(); }),
                AllOf(HasSubstr("1000 bytes"), HasSubstr("shrunk")));
}

}  // namespace
}  // namespace quartet::bench
