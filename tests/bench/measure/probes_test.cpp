#include "bench/measure/probes.hpp"

#include <fcntl.h>
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
    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const int rank = world.rank();
    const int size = world.size();
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
    std::unique_ptr<device::Stream> stream = device->make_stream("probe");
    device::Arena arena{*device, device::Arena::Mode::allocate};
};

TEST_F(ProbesTest, APassTakesTimeThatGrowsWithItsSize) {
    for (const AccessPattern pattern :
         {AccessPattern::read, AccessPattern::copy, AccessPattern::add, AccessPattern::update}) {
        MemoryProbe small(arena, *device, pattern, kibibytes(16));
        MemoryProbe large(arena, *device, pattern, mebibytes(4));
        double little = small.measure(20, *stream).value;
        for (int time = 0; time < 10; ++time) {  // the best one: the machine may be busy
            little = std::min(little, small.measure(20, *stream).value);
        }
        EXPECT_GT(little, 0);
        EXPECT_GT(large.measure(2, *stream).value, 4 * little) << "256 times as much";
    }
}

TEST_F(ProbesTest, PassesFillTheTimeThatTheyAreGiven) {
    MemoryProbe probe(arena, *device, AccessPattern::add, kibibytes(16));
    EXPECT_EQ(probe.passes_for({1e-12}, 100, *stream), 1) << "at least one";
    EXPECT_EQ(probe.passes_for({1000}, 100, *stream), 100) << "no more than allowed";
    EXPECT_GT(probe.passes_for({0.1}, 1 << 20, *stream), 1);
    EXPECT_EQ(probe_time_beside({0.1}), probe_time);
    EXPECT_EQ(probe_time_beside({4}), Seconds{0.4});
    EXPECT_EQ(probe_time_beside({86400}), Seconds{2}) << "a day's run still begins at once";
}

TEST_F(ProbesTest, TheFastestWayThroughMemoryIsChosenOnce) {
    auto source = device::allocate<double>(*device, 1 << 20);
    MemoryProbe probe(arena, std::as_const(source).view());
    int calls = 0;
    probe.add_way("at once", [&](device::Stream& /*order*/) { ++calls; });
    EXPECT_EQ(probe.way(), "");

    probe.choose_way(*stream);

    EXPECT_EQ(probe.way(), "at once");
    const int trials = calls;
    probe.measure(7, *stream);
    EXPECT_EQ(calls, trials + 7);
}

TEST_F(ProbesTest, AProductCountsItsOperations) {
    EXPECT_EQ(SgemmProbe(arena, 4).flops().value, 2 * 64 - 16);
    SgemmProbe probe(arena, 64);
    EXPECT_GT(probe.measure(*stream).value, 0);
}

TEST_F(ProbesTest, BothEndsOfAPairMeasureTheMessageAndNobodyElseDoes) {
    if (size < 2) {
        GTEST_SKIP() << "one rank has no pair";
    }
    const auto transport =
        comm::TransportRegistry::standard().make("mpi", {world, topology, *device, trace, {}});
    for (const auto& [from, to] : {std::pair(0, size - 1), std::pair(size - 1, 0)}) {
        PairProbe probe(arena, *transport, world, from, to, kibibytes(64));
        const Seconds message = probe.measure(5, *stream);
        if (rank == from || rank == to) {
            EXPECT_GT(message.value, 0);
        } else {
            EXPECT_EQ(message.value, 0);
        }
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

TEST_F(StorageProbeTest, AFileThatShrinksIsAFailure) {
    StorageProbe probe(file, FileCache::warm);
    std::filesystem::resize_file(file, 1000);
    EXPECT_THAT(message_of<Failure>([&] { probe.measure(); }),
                AllOf(HasSubstr("1000 bytes"), HasSubstr("shrunk")));
}

}  // namespace
}  // namespace quartet::bench
