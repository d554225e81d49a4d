#include "comm/topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/temporary_folder.hpp"

namespace quartet::comm {
namespace {

using testing::ElementsAre;

// As far as the control group that the tests run in lets them have that many cores' time.
int with_quota(const Topology& topology, int cores) {
    return std::clamp(static_cast<int>(topology.mine().quota.value_or(cores)), 1, cores);
}

class TopologyTest : public testing::Test {
  protected:
    const Communicator world = Communicator::world();
};

TEST_F(TopologyTest, AgreesWithMpiOnWhoSharesANode) {
    const Topology topology(world);
    const auto node = world.split_by_node();
    EXPECT_EQ(topology.node().size(), node.size());
    EXPECT_EQ(topology.mine().local_rank, node.rank());
    EXPECT_EQ(topology.mine().local_size, node.size());
    EXPECT_EQ(topology.of(0).node, 0) << "nodes are numbered by their lowest rank";
    EXPECT_TRUE(topology.same_node(world.rank(), world.rank()));
    EXPECT_GE(topology.nodes(), 1);
    EXPECT_LE(topology.nodes(), world.size());
}

// What hwloc is told to see instead of this machine, for as long as it lives.
class FakeMachine {
  public:
    explicit FakeMachine(const std::string& description, const char* source = "HWLOC_SYNTHETIC")
        : source_(source) {
        setenv(source_, description.c_str(), 1);
    }
    ~FakeMachine() { unsetenv(source_); }
    FakeMachine(const FakeMachine&) = delete;
    FakeMachine& operator=(const FakeMachine&) = delete;

  private:
    const char* source_;
};

TEST_F(TopologyTest, CountsCoresNotHardwareThreadsAndFindsNumaNodes) {
    const FakeMachine machine("numa:2 core:4 pu:2");
    const Topology topology(world);
    EXPECT_EQ(format_cpus(topology.mine().cpus), "0-15");
    EXPECT_THAT(topology.mine().core_numbers, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
    EXPECT_EQ(topology.mine().node_cores, 8);
    EXPECT_THAT(topology.mine().numa_nodes, ElementsAre(0, 1));
    EXPECT_EQ(topology.resources().cores, with_quota(topology, 8));
}

// Two sockets of four processing units with a GPU each; the second one's are other jobs'.
constexpr const char* two_sockets = R"(<topology version="2.0">
<object type="Machine" cpuset="0xf" complete_cpuset="0xff" allowed_cpuset="0xf"
        nodeset="0x3" complete_nodeset="0x3" allowed_nodeset="0x3">
 <object type="Package" cpuset="0xf" complete_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1">
  <object type="NUMANode" os_index="0" cpuset="0xf" complete_cpuset="0xf" nodeset="0x1"
          complete_nodeset="0x1"/>
  <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
          complete_nodeset="0x1"/>
  <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1"
          complete_nodeset="0x1"/>
  <object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x1"
          complete_nodeset="0x1"/>
  <object type="PU" os_index="3" cpuset="0x8" complete_cpuset="0x8" nodeset="0x1"
          complete_nodeset="0x1"/>
  <object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[00-0f]">
   <object type="PCIDev" pci_busid="0000:0a:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1"
           pci_link_speed="0"/>
  </object>
 </object>
 <object type="Package" cpuset="0x0" complete_cpuset="0xf0" nodeset="0x2" complete_nodeset="0x2">
  <object type="NUMANode" os_index="1" cpuset="0x0" complete_cpuset="0xf0" nodeset="0x2"
          complete_nodeset="0x2"/>
  <object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[80-8f]">
   <object type="PCIDev" pci_busid="0000:8a:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1"
           pci_link_speed="0"/>
  </object>
 </object>
</object>
</topology>)";

class DevicesOfTwoSocketsTest : public testing::Test {
  protected:
    DevicesOfTwoSocketsTest() { write_text(file, two_sockets); }

    const TemporaryFolder folder;
    const std::string file = folder.path() / "machine.xml";
};

TEST_F(DevicesOfTwoSocketsTest, AreFarFromCpusOfTheOtherSocket) {
    const FakeMachine machine(file, "HWLOC_XMLFILE");
    const std::vector<std::string> buses{"0000:8A:00.0", "0000:0A:00.0"};
    EXPECT_THAT(distances_to(buses, {1, 3}), ElementsAre(8, 4));
    EXPECT_THAT(distances_to(buses, {5}), ElementsAre(4, 8));
    EXPECT_THAT(distances_to(buses, {0, 7}), ElementsAre(8, 8));
    EXPECT_THAT(numa_nodes_near(buses[0]), ElementsAre(1));
}

}  // namespace
}  // namespace quartet::comm
