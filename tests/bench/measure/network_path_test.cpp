#include "bench/measure/network_path.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/fake_session.hpp"
#include "system/fake_system_files.hpp"

namespace quartet::bench {
namespace {

using nlohmann::json;

/// A node whose interfaces send what the test says.
class NetworkPathTest : public system::FakeSystemFiles {
  protected:
    void loopback(std::int64_t sent) const {
        write("proc/self/net/dev",
              "Inter-| Receive | Transmit\n face |bytes packets|bytes packets\n"
              "    lo: 0 0 0 0 0 0 0 0 " +
                  std::to_string(sent) +
                  " 0 0 0 0 0 0 0\n  eth0: 0 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0\n");
    }

    // Two runs, in each of which every rank sends 2 MiB to the next one.
    json watched(std::int64_t by_loopback) {
        loopback(1000);
        probes.network = [counters = std::make_shared<system::NetworkCounters>(root)] {
            return counters.get();
        };
        Session session = fake_session({});
        PlannedCase planned;
        planned.moved.sent.resize(static_cast<std::size_t>(world.size()));
        planned.moved.sent[static_cast<std::size_t>((world.rank() + 1) % world.size())] =
            mebibytes(2).value;
        NetworkPath path(session, planned, probes);
        for (int run = 0; run < 2; ++run) {
            path.begin();
            MachineWatch watch(session, probes);
            loopback(1000 + (run + 1) * by_loopback);
            watch.end();
            path.end(watch);
        }
        const auto nodes = path.nodes();
        EXPECT_EQ(nodes.size(), world.rank() == 0 ? 1U : 0U);
        return nodes.empty() ? json() : json::parse(nodes[0]);
    }

    const comm::Communicator world = comm::Communicator::world();
    MachineProbes probes = this_machine();
};

TEST_F(NetworkPathTest, AddsUpRunsBesideTheirPlan) {
    const json node = watched(5000);
    if (world.rank() > 0) {
        return;
    }
    EXPECT_EQ(node.at("runs"), 2);
    const bool moves = world.size() > 1;
    EXPECT_EQ(node.at("planned_within_node_bytes"),
              moves ? 2 * world.size() * mebibytes(2).value : 0);
    EXPECT_EQ(node.at("planned_between_nodes_bytes"), 0);
    EXPECT_EQ(node.at("interfaces"), json::parse(R"([{"name": "lo", "kind": "loopback", "up": false,
                               "sent_bytes": 10000}])"))
        << "eth0 sent nothing, and there is no GPU";
}

}  // namespace
}  // namespace quartet::bench
