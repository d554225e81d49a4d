#include "bench/measure/road_watch.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/fake_session.hpp"
#include "system/fake_system_files.hpp"

namespace quartet::bench {
namespace {

using nlohmann::json;

/// A node whose interfaces send what the test says.
class RoadWatchTest : public system::FakeSystemFiles {
  protected:
    void loopback(std::int64_t sent) const {
        write("proc/self/net/dev",
              "Inter-| Receive | Transmit\n face |bytes packets|bytes packets\n"
              "    lo: 0 0 0 0 0 0 0 0 " +
                  std::to_string(sent) +
                  " 0 0 0 0 0 0 0\n  eth0: 0 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0\n");
    }

    // Two runs, in each of which every rank sends 2 MiB to the next one.
    std::vector<std::string> watched(std::int64_t by_loopback) {
        loopback(1000);
        Session session = fake_session({});
        PlannedCase planned;
        planned.moved.sent.resize(static_cast<std::size_t>(world.size()));
        planned.moved.sent[static_cast<std::size_t>((world.rank() + 1) % world.size())] =
            mebibytes(2).value;
        RoadWatch road(session, planned, machine());
        road.watch_others();
        for (int run = 0; run < 2; ++run) {
            road.begin();
            MachineWatch watch(session, probes);
            loopback(1000 + (run + 1) * by_loopback);
            watch.end();
            road.end(watch);
        }
        return road.nodes();
    }

    const MachineProbes& machine() {
        probes.traffic = [traffic = std::make_shared<system::TrafficCounters>(root)] {
            return traffic.get();
        };
        return probes;
    }

    const comm::Communicator world = comm::Communicator::world();
    MachineProbes probes = this_machine();
};

TEST_F(RoadWatchTest, AddsUpRunsBesideTheirPlan) {
    const auto nodes = watched(5000);
    if (world.rank() > 0) {
        EXPECT_TRUE(nodes.empty());
        return;
    }
    ASSERT_EQ(nodes.size(), 1);
    const json node = json::parse(nodes[0]);
    EXPECT_EQ(node.at("runs"), 2);
    const bool moves = world.size() > 1;
    EXPECT_EQ(node.at("planned_within_node_bytes"),
              moves ? 2 * world.size() * mebibytes(2).value : 0);
    EXPECT_EQ(node.at("planned_between_nodes_bytes"), 0);
    EXPECT_FALSE(node.contains("pcie_sent_bytes")) << "there is no GPU";
    ASSERT_EQ(node.at("interfaces").size(), 1) << "eth0 sent nothing";
    EXPECT_EQ(node.at("interfaces")[0],
              json({{"name", "lo"}, {"kind", "loopback"}, {"up", false}, {"sent_bytes", 10000}}));
}

TEST_F(RoadWatchTest, AddsUpWhatGpusSendAndKnowsNotWhatOneDoesNotTell) {
    probes.gpu_counters = [sent = 0.0](const Gpus&, int) mutable {
        sent += 100;
        device::GpuCounters counters;
        counters.pcie_sent = sent;
        return counters;
    };
    const auto nodes = watched(0);
    if (world.rank() == 0) {
        const json node = json::parse(nodes.at(0));
        EXPECT_EQ(node.at("pcie_sent_bytes"), 200 * world.size()) << "two runs, read twice each";
        EXPECT_FALSE(node.contains("nvlink_sent_bytes"));
    }
}

TEST_F(RoadWatchTest, SaysWhatCannotBeCounted) {
    write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
    const auto nodes = watched(0);
    if (world.rank() == 0) {
        EXPECT_EQ(json::parse(nodes.at(0)).at("interfaces"),
                  json::array({{{"name", "mlx5_0"},
                                {"kind", "fabric"},
                                {"up", true},
                                {"counter", "not readable"}}}));
    }
}

}  // namespace
}  // namespace quartet::bench
