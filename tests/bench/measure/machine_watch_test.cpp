#include "bench/measure/machine_watch.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/fake_session.hpp"
#include "system/fake_system_files.hpp"

namespace quartet::bench {
namespace {

/// A machine that says what the test sets.
class MachineWatchTest : public testing::Test {
  protected:
    RunConditions observed() {
        Session session = fake_session(options);
        MachineCounters next = before;
        const MachineProbes machine{
            [&](std::span<const int> processors) {
                EXPECT_FALSE(processors.empty());
                return std::exchange(next, after);
            },
            [](int threads) { return Seconds{1e-4 * threads}; },
            [&](const Gpus&, int) { return std::exchange(gpu_before, gpu_after); }};
        MachineWatch watch(session, machine);
        const RunConditions conditions = watch.end();
        return conditions;
    }

    static MachineCounters at(Seconds time) {
        MachineCounters counters;
        counters.time = time;
        return counters;
    }

    static device::GpuCounters counted(double joules, Seconds capped) {
        device::GpuCounters counters;
        counters.energy_joules = joules;
        counters.power_capped = capped;
        return counters;
    }

    CommonOptions options;
    MachineCounters before = at({10});
    MachineCounters after = at({20});
    std::optional<device::GpuCounters> gpu_before;
    std::optional<device::GpuCounters> gpu_after;
    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
};

TEST_F(MachineWatchTest, StealIsThatOfTheRankThatLostMost) {
    if (rank > 0) {
        before.stolen = Seconds{7};
        after.stolen = Seconds{7 + 0.5 * rank};
    }
    const RunConditions conditions = observed();
    EXPECT_EQ(conditions.stolen_share.has_value(), size > 1)
        << "one that does not know is left out";
    EXPECT_EQ(conditions.stolen_share.value_or(0) > 0, size > 1);
    EXPECT_LE(conditions.stolen_share.value_or(0), 0.05 * (size - 1));
    const double share = conditions.stolen_share.value_or(-1);
    EXPECT_EQ(world.maximum(share), world.minimum(share)) << "on every rank";
}

TEST_F(MachineWatchTest, OthersRanWhatTheJobDidNot) {
    before.busy = Seconds{100};
    before.cpu = {1};
    after.cpu = {1 + 10};
    after.busy = Seconds{100.0 + 10 * size + 3};
    const RunConditions conditions = observed();
    EXPECT_DOUBLE_EQ(conditions.others_share.value(), 3.0 / (10 * conditions.node_cores));
    after.busy = Seconds{100.0 + 1e6};
    EXPECT_EQ(observed().others_share, 1) << "ticks that began before";
    after.busy = Seconds{100.0 + 9 * size};
    EXPECT_EQ(observed().others_share, 0) << "ticks that were not counted";
}

TEST_F(MachineWatchTest, RanksThatReadLaterRanInBetween) {
    before.busy = Seconds{100};
    before.cpu = {1};
    after.cpu = {1 + 10};
    after.busy = Seconds{100.0 + 10 * size};
    if (rank == 0 && size > 1) {  // another rank runs on its core two seconds before, and one after
        before.time = {8};
        after.time = {21};
        after.busy = Seconds{103.0 + 10 * size};
    }
    EXPECT_EQ(observed().others_share, 0);
}

TEST_F(MachineWatchTest, GpusAreHeldBackAsTheWorstOfThemAndTheirEnergyIsAdded) {
    gpu_before = counted(100, {7});
    gpu_after = counted(1100, {7.0 + rank});
    const RunConditions conditions = observed();
    EXPECT_EQ(conditions.energy_joules, 1000 * size);
    EXPECT_DOUBLE_EQ(conditions.power_capped_share.value(), (size - 1) / 10.0);
    EXPECT_FALSE(conditions.thermally_slowed_share || conditions.power_braked_share)
        << "the driver does not tell";
}

TEST_F(MachineWatchTest, RanksThatShareAGpuCountItOnce) {
    if (rank == 0) {
        gpu_before = counted(100, {7});
        gpu_after = counted(150, {7});
    }
    EXPECT_EQ(observed().energy_joules, 50);
}

TEST_F(MachineWatchTest, OfAShortRunGpusCountNothing) {
    gpu_before = counted(100, {7});
    gpu_after = counted(200, {8});
    after = at({10.1});
    const RunConditions conditions = observed();
    EXPECT_FALSE(conditions.energy_joules || conditions.power_capped_share);
}

TEST(ThisMachine, CountsItsOwnTime) {
    const MachineProbes machine = this_machine();
    const std::vector<int> processors{0};
    const MachineCounters before = machine.counters(processors);
    const MachineCounters after = machine.counters(processors);
    EXPECT_GT(after.time, before.time);
    EXPECT_GE(after.cpu, before.cpu);
    EXPECT_TRUE(after.busy.has_value());
    EXPECT_GT(machine.clock_probe(1).value, 0);
}

/// A node whose interfaces send what the test says.
class NetworkPathTest : public system::FakeSystemFiles {
  protected:
    void sent(std::int64_t by_eth0) const {
        write("proc/self/net/dev",
              "Inter-| Receive | Transmit\n face |bytes packets|bytes packets\n"
              "  eth0: 0 0 0 0 0 0 0 0 " +
                  std::to_string(by_eth0) +
                  " 0 0 0 0 0 0 0\n  eth1: 0 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0\n");
    }
};

TEST_F(NetworkPathTest, AddsUpWhatTheInterfacesOfANodeSentInItsRuns) {
    sent(1000);
    const system::NetworkCounters counters(root);
    MachineProbes probes = this_machine();
    probes.network = [&] { return &counters; };
    const Session session = fake_session({});
    NetworkPath path(session, probes);
    for (const std::int64_t bytes : {6000, 11000}) {
        path.begin();
        sent(bytes);
        path.end();
        sent(1000 + bytes);  // between runs
    }

    const auto nodes = path.nodes();
    if (session.world().rank() > 0) {
        EXPECT_TRUE(nodes.empty());
        return;
    }
    ASSERT_EQ(nodes.size(), 1U);
    const auto node = nlohmann::json::parse(nodes[0]);
    EXPECT_EQ(node.at("runs"), 2);
    EXPECT_EQ(node.at("interfaces"),
              nlohmann::json::parse(
                  R"([{"name": "eth0", "kind": "network", "up": false, "sent_bytes": 9000}])"))
        << "eth1 sent nothing";
}

}  // namespace
}  // namespace quartet::bench
