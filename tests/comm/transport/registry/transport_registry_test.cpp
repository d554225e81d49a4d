#include "comm/transport/registry/transport_registry.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "device/host/host_device.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;

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
                IsSupersetOf({"mpi", "staged", "shm", "rma", "nccl", "ipc", "grpc"}));
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

TEST_F(TransportRegistryTest, RequirementsNameWhoHasThemAndWhatToDo) {
    const auto mpi = registry.make("mpi", context());
    EXPECT_NO_THROW(require(*mpi, Capability::all_to_all, "fft"));
    EXPECT_NO_THROW(require_plain_mpi(*mpi, "formulation library"));
    if (topology.nodes() == 1) {
        const auto shm = registry.make("shm", context());
        EXPECT_EQ(message_of<Unavailable>([&] { require(*shm, Capability::send_receive, "that"); }),
                  "transport shm has no send/receive, which that needs: use --transport mpi");
        EXPECT_THAT(message_of<Unavailable>([&] { require_plain_mpi(*shm, "that"); }),
                    HasSubstr("that is plain MPI (transport shm is not)"));
    }
}

TEST_F(TransportRegistryTest, NamesSubstitutesForTransportsOfOtherMemory) {
    EXPECT_THAT(*registry.why_not("staged", context()),
                HasSubstr("use --device cuda, or --transport mpi"));
    if (topology.nodes() == 1) {
        EXPECT_THAT(*registry.why_not("ipc", context()),
                    HasSubstr("use --device cuda, or --transport mpi, shm"));
    }
}

TEST_F(TransportRegistryTest, KnowsTraitsOfTransportsWithoutMakingThem) {
    EXPECT_TRUE(registry.traits("mpi").moves(device::MemoryKind::host));
    EXPECT_TRUE(registry.traits("mpi").moves(device::MemoryKind::device));
    EXPECT_FALSE(registry.traits("shm").moves(device::MemoryKind::device));
    EXPECT_FALSE(registry.traits("nccl").moves(device::MemoryKind::host));
    EXPECT_TRUE(registry.traits("ipc").can(Capability::all_to_all));
    EXPECT_FALSE(registry.traits("rma").can(Capability::payload_channel));
    EXPECT_EQ(registry.traits("ipc").location, PartLocation::at_sender);
    EXPECT_EQ(registry.traits("shm").windows, WindowKind::shared);
    EXPECT_THROW(static_cast<void>(registry.traits("tcp")), UsageError);
}

TEST_F(TransportRegistryTest, ReportsAbsenceBeforeAnythingElse) {
    registry.add({.traits = registry.traits("ipc"), .absence = "not in this build"});
    EXPECT_EQ(registry.why_not("ipc", context()), "not in this build");
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

    registry.add({.traits = registry.traits("shm"), .absence = "no"});
    EXPECT_EQ(registry.automatic(context()), "mpi");
}

TEST_F(TransportRegistryTest, AKindReplacesTheOneOfItsName) {
    const std::size_t count = registry.names().size();
    registry.add({.traits = {.name = "mpi"}, .why_not = [](const TransportContext&) {
                      return std::optional<std::string>("gone");
                  }});
    registry.add({.traits = {.name = "pigeon"},
                  .why_not = [](const TransportContext&) { return std::optional<std::string>(); },
                  .make = [](const TransportContext&) { return std::unique_ptr<Transport>(); }});

    EXPECT_EQ(registry.names().size(), count + 1);
    EXPECT_EQ(registry.names().back(), "pigeon");
    EXPECT_EQ(registry.why_not("mpi", context()), "gone");
    EXPECT_EQ(registry.make("pigeon", context()), nullptr);
    EXPECT_THROW(static_cast<void>(registry.make("mpi", context())), Unavailable);
}

}  // namespace
}  // namespace quartet::comm
