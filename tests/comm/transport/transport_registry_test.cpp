#include "comm/transport/transport_registry.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "device/host/runtime/host_device.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class TransportRegistryTest : public testing::Test {
  protected:
    TransportContext context() { return {world, topology, *device, trace, {}}; }

    const Communicator world = Communicator::world();
    const Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
    TransportRegistry registry = TransportRegistry::standard();
};

TEST_F(TransportRegistryTest, KnowsAllTransportsOfTheSuite) {
    EXPECT_THAT(registry.names(),
                ElementsAre("mpi", "staged", "shm", "rma", "nccl", "ipc", "grpc"));
    EXPECT_TRUE(registry.has("grpc"));
    EXPECT_FALSE(registry.has("auto"));
    EXPECT_FALSE(registry.has(""));
}

TEST_F(TransportRegistryTest, RefusesWhatCannotBeHadInTheWordsOfItsReason) {
    for (const std::string& name : registry.names()) {
        const auto reason = registry.why_not(name, context());
        if (reason) {
            EXPECT_EQ(
                message_of<Unavailable>([&] { static_cast<void>(registry.make(name, context())); }),
                *reason);
            EXPECT_THAT(*reason, AllOf(HasSubstr(name), testing::Not(HasSubstr("\n"))));
        }
    }
}

TEST_F(TransportRegistryTest, TransportsOfGpuMemoryDoNotServeTheHost) {
    for (const std::string name : {"staged", "ipc"}) {
        EXPECT_THAT(*registry.why_not(name, context()), HasSubstr("use --device cuda"));
    }
}

TEST_F(TransportRegistryTest, TransportsOfTheHostDoNotServeGpus) {
    EXPECT_EQ(why_no_host_memory(device::MemoryKind::host), std::nullopt);
    EXPECT_THAT(*why_no_host_memory(device::MemoryKind::device), HasSubstr("memory of the host"));
}

TEST_F(TransportRegistryTest, RefusesUnknownNames) {
    for (const std::string name : {"", "auto", "MPI", "tcp"}) {
        EXPECT_THROW(static_cast<void>(registry.why_not(name, context())), UsageError);
        EXPECT_THAT(
            message_of<UsageError>([&] { static_cast<void>(registry.make(name, context())); }),
            AllOf(HasSubstr("'" + name + "'"), HasSubstr("--list")));
    }
}

TEST_F(TransportRegistryTest, MakesWhatItSaysIsThere) {
    EXPECT_EQ(registry.why_not("mpi", context()), std::nullopt);
    EXPECT_EQ(registry.make("mpi", context())->name(), "mpi");
}

TEST_F(TransportRegistryTest, ChoosesSharedMemoryOnOneNode) {
    EXPECT_EQ(registry.automatic(context()), topology.nodes() == 1 ? "shm" : "mpi");

    registry.add(
        {"shm", [](const TransportContext&) { return std::optional<std::string>("no"); }, nullptr});
    EXPECT_EQ(registry.automatic(context()), "mpi");
}

TEST_F(TransportRegistryTest, AKindReplacesTheOneOfItsName) {
    const std::size_t count = registry.names().size();
    registry.add({"mpi", [](const TransportContext&) { return std::optional<std::string>("gone"); },
                  nullptr});
    registry.add({"pigeon", [](const TransportContext&) { return std::optional<std::string>(); },
                  [](const TransportContext&) { return std::unique_ptr<Transport>(); }});

    EXPECT_EQ(registry.names().size(), count + 1);
    EXPECT_EQ(registry.names().back(), "pigeon");
    EXPECT_EQ(registry.why_not("mpi", context()), "gone");
    EXPECT_EQ(registry.make("pigeon", context()), nullptr);
    EXPECT_THROW(static_cast<void>(registry.make("mpi", context())), Unavailable);
}

}  // namespace
}  // namespace quartet::comm
