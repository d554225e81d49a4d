#include "cg/dataflow/dataflow_queues.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "cg/cg_session.hpp"

namespace quartet::cg {
namespace {

// MPI wants each message received before it ends.
TEST(DataflowQueues, LeaveNoMessageOnItsWay) {
    const auto session = make_session();
    const comm::Communicator& world = session->world();
    if (world.size() == 1) {
        GTEST_SKIP() << "one rank has no worker beside the reducer";
    }
    const auto roles = comm::Roles::with_reducers(world.size(), 1);
    for (const int bound : {1, 16}) {
        flow::Hub hub(world);
        {
            DataflowQueues queues(hub, session->transport("mpi"), {"laplace", 64, 1}, roles, bound);
            if (roles.of(world.rank()) == comm::Role::worker) {
                queues.curvature.exchange(roles.index_of(world.rank()), {1.0});
            } else {
                EXPECT_EQ(queues.curvature.collect()[0], roles.workers());
                queues.curvature.publish({});
            }
        }
        world.barrier();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_FALSE(hub.serve());
    }
}

}  // namespace
}  // namespace quartet::cg
