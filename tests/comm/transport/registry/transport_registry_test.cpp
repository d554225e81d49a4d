#include "comm/transport/registry/transport_registry.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "device/host/host_device.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
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
    EXPECT_NO_THROW(require_plain_mpi(*mpi, "formulation library"));
    if (topology.nodes() == 1) {
        const auto shm = registry.make("shm", context());
        EXPECT_THAT(message_of<Unavailable>([&] { require_plain_mpi(*shm, "that"); }),
                    HasSubstr("that is plain MPI (transport shm is not)"));
    }
}

TEST_F(TransportRegistryTest, ChoosesSharedMemoryOnOneNode) {
    EXPECT_EQ(registry.automatic(context()), topology.nodes() == 1 ? "shm" : "mpi");

    registry.add({.traits = registry.traits("shm"), .absence = "no"});
    EXPECT_EQ(registry.automatic(context()), "mpi");
}

}  // namespace
}  // namespace quartet::comm
