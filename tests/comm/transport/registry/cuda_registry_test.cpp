#include <gmock/gmock.h>

#include "comm/transport/registry/transport_registry.hpp"
#include "device/cuda/cuda_device.hpp"
#include "fakes/fake_cuda_runtime.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What there is for a GPU: the fake, which all ranks share.
class TransportsOfGpus : public testing::Test {
  protected:
    TransportContext context() { return {world, topology, *device, trace, {}}; }

    void remove(std::string_view name) {
        registry.add({.traits = registry.traits(name), .absence = "gone"});
    }
    void put(std::string_view name) {
        registry.add({.traits = registry.traits(name), .why_not = [](const TransportContext&) {
                          return std::optional<std::string>();
                      }});
    }

    const Communicator world = Communicator::world();
    const Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device = device::cuda_device().make({}, trace);
    TransportRegistry registry = TransportRegistry::standard();
};

TEST_F(TransportsOfGpus, AreIpcWhereRanksMapOneAnothersMemoryElseWhatReachesFurther) {
    EXPECT_EQ(registry.automatic(context()), "ipc");
    for (const auto* name : {"ipc", "mpi", "nccl"}) {
        remove(name);
    }
    EXPECT_EQ(registry.automatic(context()), "staged");
    put("mpi");
    EXPECT_EQ(registry.automatic(context()), "mpi");
}

TEST_F(TransportsOfGpus, AreNeverNcclWhereRanksShareAGpu) {
    EXPECT_EQ(any_shared(gpus_of_ranks(context())), world.size() > 1);
    remove("ipc");
    remove("mpi");
    put("nccl");
    EXPECT_EQ(registry.automatic(context()), world.size() > 1 ? "staged" : "nccl");
}

TEST_F(TransportsOfGpus, AreNotIpcWhereGpusAreHidden) {
    if (world.size() == 1) {
        GTEST_SKIP() << "one rank has no peers";
    }
    if (world.rank() == world.size() - 1) {
        device::hide_peers();
    }
    const auto reason = registry.why_not("ipc", context());
    const std::string choice = registry.automatic(context());
    device::show_peers();

    ASSERT_TRUE(reason);
    EXPECT_THAT(*reason, AllOf(HasSubstr("cudaIpcOpenMemHandle"), HasSubstr("--gpu-bind=none"),
                               HasSubstr("--transport staged")));
    EXPECT_NE(choice, "ipc");
    EXPECT_EQ(registry.why_not("ipc", context()), std::nullopt) << "nothing is left behind";
}

}  // namespace
}  // namespace quartet::comm
