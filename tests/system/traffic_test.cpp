#include "system/traffic.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr Seconds a_second{1};

/// A machine whose adapters are those that the test plugs in.
class Traffic : public FakeSystemFiles {
  protected:
    void networks(const std::string& lines) const {
        write("proc/self/net/dev",
              "Inter-|   Receive                            |  Transmit\n"
              " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets\n" +
                  lines);
    }

    // As the kernel writes it: a name that is long leaves no space behind the colon.
    static std::string line(const std::string& name, const std::string& received,
                            const std::string& sent) {
        return "  " + name + ":" + received + " 9 0 0 0 0 0 0 " + sent + " 8 0 0 0 0 0 0\n";
    }

    // In /sys/class a device is a link to its place in the tree of buses.
    void plug_in(const std::string& kind, const std::string& name, const std::string& bus) const {
        const fs::path device = root / "sys/devices" / bus;
        fs::create_directories(device / kind / name);
        fs::create_directories(root / "sys/class" / kind);
        fs::create_directory_symlink(device / kind / name, root / "sys/class" / kind / name);
        fs::create_directory_symlink(device, device / kind / name / "device");
    }

    void port(const std::string& adapter, const std::string& number, const std::string& state,
              const std::string& rate, const std::string& layer) const {
        const auto folder = fs::path("sys/class/infiniband") / adapter / "ports" / number;
        write(folder / "state", state + "\n");
        write(folder / "rate", rate + "\n");
        write(folder / "link_layer", layer + "\n");
    }

    void count(const std::string& adapter, const std::string& sent) const {
        write(fs::path("sys/class/infiniband") / adapter / "ports/1/counters/port_xmit_data",
              sent + "\n");
    }

    static const Interface& find(const TrafficCounters& traffic, const std::string& name) {
        return *std::ranges::find(traffic.interfaces(), name, &Interface::name);
    }

    static std::vector<std::string> names(const TrafficCounters& traffic) {
        std::vector<std::string> names;
        std::ranges::transform(traffic.interfaces(), std::back_inserter(names), &Interface::name);
        return names;
    }

    static Sent sent(const TrafficCounters& traffic, const std::vector<Count>& before,
                     const std::vector<Count>& after, const std::string& name) {
        const auto& all = traffic.interfaces();
        const auto index =
            static_cast<std::size_t>(std::ranges::find(all, name, &Interface::name) - all.begin());
        return system::sent(all.at(index), before.at(index), after.at(index), a_second);
    }
};

TEST_F(Traffic, OfNetworksIsThatOfTheProcessesOwnNamespace) {
    networks(line("lo", "5", "5") + line("eth0", "    1000", "2000"));
    write("sys/class/net/eth0/speed", "25000\n");
    write("sys/class/net/eth0/operstate", "up\n");
    write("sys/class/net/eth7/speed", "25000\n");  // of another namespace
    const TrafficCounters traffic(root);
    EXPECT_THAT(names(traffic), ElementsAre("eth0", "lo"));
    EXPECT_EQ(find(traffic, "lo").kind, LinkKind::loopback);
    EXPECT_EQ(find(traffic, "eth0").gigabits, 25);
    EXPECT_TRUE(find(traffic, "eth0").up);
    const auto before = traffic.read();
    EXPECT_EQ(before[0], 2000);
    networks(line("lo", "5", "5") + line("eth0", "1000", "62000"));
    EXPECT_EQ(sent(traffic, before, traffic.read(), "eth0").bytes, 60000) << "files stay open";
    networks(line("lo", "5", "5"));
    EXPECT_EQ(sent(traffic, before, traffic.read(), "eth0").state, CountState::unreadable)
        << "it was unplugged";
}

TEST_F(Traffic, OfBondsBridgesAndVlansIsCountedOnceAtTheirMembers) {
    networks(line("bond0", "1", "1") + line("eth0", "1", "1") + line("eth1", "1", "1") +
             line("eth1.7", "1", "1") + line("br0", "1", "1"));
    for (const char* member : {"bond0/lower_eth0", "eth1.7/lower_eth1", "br0/lower_bond0"}) {
        fs::create_directories(root / "sys/class/net" / member);
    }
    EXPECT_THAT(names(TrafficCounters(root)), ElementsAre("eth0", "eth1"));
}

TEST_F(Traffic, OfInfinibandIsCountedInWordsBesideEthernet) {
    networks(line("eth0", "1", "1") + line("ib0", "1", "1"));
    plug_in("infiniband", "mlx5_0", "pci0000:00/0000:01:00.0");
    plug_in("net", "ib0", "pci0000:00/0000:01:00.0");
    plug_in("net", "eth0", "pci0000:00/0000:02:00.0");
    write("sys/class/net/ib0/type", "32\n");
    port("mlx5_0", "1", "4: ACTIVE", "100 Gb/sec (4X EDR)", "InfiniBand");
    port("mlx5_0", "2", "1: DOWN", "10 Gb/sec (4X SDR)", "InfiniBand");
    count("mlx5_0", "1000");
    const TrafficCounters traffic(root);
    EXPECT_THAT(names(traffic), ElementsAre("eth0", "ib0", "mlx5_0", "mlx5_0/2"));
    EXPECT_TRUE(find(traffic, "mlx5_0").up);
    EXPECT_EQ(find(traffic, "mlx5_0").gigabits, 100);
    EXPECT_FALSE(find(traffic, "mlx5_0/2").up || find(traffic, "mlx5_0").on_ethernet);
    EXPECT_EQ(find(traffic, "ib0").inside, "mlx5_0") << "its bytes pass the adapter, too";
    EXPECT_EQ(find(traffic, "eth0").inside, "");
    const auto before = traffic.read();
    count("mlx5_0", "1500");
    const auto after = traffic.read();
    EXPECT_EQ(sent(traffic, before, after, "mlx5_0").bytes, 2000);
    EXPECT_EQ(sent(traffic, before, after, "mlx5_0/2").state, CountState::unreadable)
        << "no such file";
    count("mlx5_0", "4294967295");
    EXPECT_EQ(sent(traffic, before, traffic.read(), "mlx5_0").state, CountState::stuck);
    count("mlx5_0", "7");
    EXPECT_EQ(sent(traffic, before, traffic.read(), "mlx5_0").state, CountState::restarted)
        << "perfquery -R";
}

TEST_F(Traffic, OfOmniPathIsCountedInFlitsAndOfEfaInBytes) {
    plug_in("infiniband", "opap1", "pci0000:00/0000:03:00.0");
    fs::create_directories(root / "sys/bus/pci/drivers/hfi1");
    fs::create_directory_symlink(root / "sys/bus/pci/drivers/hfi1",
                                 root / "sys/class/infiniband/opap1/device/driver");
    port("opap1", "1", "4: ACTIVE", "100 Gb/sec (4X EDR)", "InfiniBand");
    count("opap1", "10");
    plug_in("infiniband", "rdmap0s6", "pci0000:00/0000:00:06.0");
    port("rdmap0s6", "1", "4: ACTIVE", "100 Gb/sec (4X EDR)", "Unspecified");
    write("sys/class/infiniband/rdmap0s6/ports/1/hw_counters/tx_bytes", "4096\n");
    plug_in("infiniband", "rxe0", "virtual");
    port("rxe0", "1", "4: ACTIVE", "10 Gb/sec", "Ethernet");
    const TrafficCounters traffic(root);
    EXPECT_THAT(names(traffic), ElementsAre("opap1", "rdmap0s6")) << "rxe0 goes over a network";
    EXPECT_EQ(find(traffic, "opap1").unit, 8);
    EXPECT_EQ(traffic.read().at(1), 4096);
}

TEST_F(Traffic, OfSlingshotIsWithThatOfItsNetwork) {
    networks(line("hsn0", "1", "1"));
    plug_in("cxi", "cxi0", "pci0000:00/0000:21:00.0");
    plug_in("net", "hsn0", "pci0000:00/0000:21:00.0");
    write("sys/class/net/hsn0/operstate", "up\n");
    write("sys/class/net/hsn0/speed", "200000\n");
    const fs::path file = "sys/class/cxi/cxi0/device/telemetry/hni_sts_tx_ok_octets";
    write(file, "20000000000@1764201600.123456789\n");
    const TrafficCounters traffic(root);
    EXPECT_THAT(names(traffic), ElementsAre("hsn0", "cxi0"));
    EXPECT_EQ(find(traffic, "hsn0").inside, "cxi0");
    EXPECT_TRUE(find(traffic, "cxi0").up);
    EXPECT_EQ(find(traffic, "cxi0").gigabits, 200);
    const auto before = traffic.read();
    EXPECT_EQ(before.at(1), 20000000000);
    write(file, "30000000000@1764201610.123456789\n");
    const auto after = traffic.read();
    EXPECT_EQ(sent(traffic, before, after, "cxi0").state, CountState::stale)
        << "its driver looks once a second";
    EXPECT_EQ(system::sent(find(traffic, "cxi0"), before[1], after[1], {10}).bytes, 1e10);
    write("sys/module/cxi_core/parameters/cntr_refresh_interval", "100\n");
    const TrafficCounters hasty(root);
    EXPECT_EQ(sent(hasty, before, after, "cxi0").bytes, 1e10);
}

TEST(SentBytes, OfAWrappedCounterAreAtLeastSoMany) {
    const Interface network{.name = "eth0"};
    const Sent wrapped = sent(network, 4294967290, 10, a_second);
    EXPECT_EQ(wrapped.bytes, 16);
    EXPECT_EQ(wrapped.state, CountState::wrapped);
    EXPECT_EQ(sent(network, 1ULL << 40U, 10, a_second).state, CountState::restarted)
        << "of 64 bits";
    Sent sum = sent(network, 1, 3, a_second);
    sum += wrapped;
    EXPECT_EQ(sum.bytes, 18);
    EXPECT_EQ(sum.state, CountState::wrapped);
}

TEST(TrafficHere, OnlyGrows) {
    const TrafficCounters traffic;
    const auto before = traffic.read();
    const auto after = traffic.read();
    for (std::size_t index = 0; index < before.size(); ++index) {
        if (before[index] && after[index]) {
            EXPECT_GE(*after[index], *before[index]);
        }
    }
    EXPECT_FALSE(before.empty()) << "there is a loopback everywhere";
}

}  // namespace
}  // namespace quartet::system
