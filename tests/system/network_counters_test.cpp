#include "system/network_counters.hpp"

#include <gmock/gmock.h>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

using testing::ElementsAre;
using testing::Eq;

/// A machine whose interfaces are those that the test plugs in.
class NetworkCountersTest : public FakeSystemFiles {
  protected:
    // As the kernel writes it: a name that is long leaves no space behind the colon.
    void networks(const std::string& sent_by_eth0) const {
        write("proc/self/net/dev",
              "Inter-|   Receive                            |  Transmit\n"
              " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets\n"
              "    lo: 5 9 0 0 0 0 0 0 7 8 0 0 0 0 0 0\n  eth0:1000 9 0 0 0 0 0 0 " +
                  sent_by_eth0 + " 8 0 0 0 0 0 0\n");
    }
    void port(const std::string& adapter, const std::string& counter,
              const std::string& sent) const {
        const std::string folder = "sys/class/infiniband/" + adapter + "/ports/1/";
        write(folder + "state", "4: ACTIVE\n");
        write(folder + "rate", "100 Gb/sec (4X EDR)\n");
        write(folder + counter, sent + "\n");
    }
};

TEST_F(NetworkCountersTest, NetworksAreThoseOfTheProcessesOwnNamespace) {
    networks("2000");
    write("sys/class/net/eth0/speed", "25000\n");
    write("sys/class/net/eth0/operstate", "up\n");
    write("sys/class/net/eth7/speed", "25000\n");  // of another namespace
    const NetworkCounters counters(root);
    ASSERT_EQ(counters.interfaces().size(), 1U);
    EXPECT_EQ(counters.interfaces()[0].name, "eth0");
    EXPECT_EQ(counters.interfaces()[0].gigabits, 25);
    EXPECT_TRUE(counters.interfaces()[0].up);
    EXPECT_THAT(counters.sent(), ElementsAre(2000)) << "nothing leaves by the loopback";
    networks("62000");
    EXPECT_THAT(counters.sent(), ElementsAre(62000)) << "files stay open";
    write("proc/self/net/dev", "nothing\n");
    EXPECT_THAT(counters.sent(), ElementsAre(Eq(std::nullopt))) << "it was unplugged";
}

TEST_F(NetworkCountersTest, FabricsCountInTheirOwnUnits) {
    networks("0");
    port("hfi1_0", "counters/port_xmit_data", "3");
    port("mlx5_0", "counters/port_xmit_data", "3");
    port("rdmap0", "hw_counters/tx_bytes", "3");
    write("sys/class/cxi/cxi0/device/telemetry/hni_sts_tx_ok_octets", "5@1700000000.1\n");
    const NetworkCounters counters(root);
    EXPECT_THAT(counters.sent(), ElementsAre(0, 24, 12, 3, 5)) << "flits, words and bytes";
    EXPECT_EQ(counters.interfaces()[2].name, "mlx5_0");
    EXPECT_EQ(counters.interfaces()[2].kind, "fabric");
    EXPECT_EQ(counters.interfaces()[2].gigabits, 100);
    EXPECT_TRUE(counters.interfaces()[2].up);
}

TEST_F(NetworkCountersTest, AFabricThatCannotBeReadIsNotKnown) {
    write("sys/class/infiniband/mlx5_0/ports/2/state", "1: DOWN\n");
    const NetworkCounters counters(root);
    ASSERT_EQ(counters.interfaces().size(), 1U);
    EXPECT_EQ(counters.interfaces()[0].name, "mlx5_0/2");
    EXPECT_FALSE(counters.interfaces()[0].up);
    EXPECT_THAT(counters.sent(), ElementsAre(Eq(std::nullopt)));
}

}  // namespace
}  // namespace quartet::system
