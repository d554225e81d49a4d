#include "stream/plan.hpp"

#include <gtest/gtest.h>

#include "bench/program/plan.hpp"
#include "support/counted_memory.hpp"

namespace quartet::stream {
namespace {

using bench::Formulation;

struct Way {
    Formulation formulation;
    std::string transport;
};

class PlannedMemoryTest : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Ways, PlannedMemoryTest,
                         testing::Values(Way{Formulation::native, "mpi"},
                                         Way{Formulation::library, "mpi"},
                                         Way{Formulation::dataflow, "mpi"}),
                         [](const auto& instance) {
                             return std::string(name(instance.param.formulation)) + "_" +
                                    instance.param.transport;
                         });

// Buffers stay below one huge page here, so that all but the expected sums are counted.
TEST_P(PlannedMemoryTest, IsWhatACaseAllocates) {
    const auto& [formulation, transport] = GetParam();
    bench::CommonOptions options;
    options.device = "host";
    for (const comm::Pipeline pipeline : {comm::Pipeline::on, comm::Pipeline::off}) {
        options.transfer = {.chunk = kibibytes(4), .pipeline = pipeline};
        bench::Session session({.name = "stream", .least_ranks = 2}, options,
                               comm::TransportRegistry::standard());
        const Problem problem =
            problems({{bytes_of<float>(5001)}, 1, bench::Switch::off}, session.world().size())
                .front();
        session.add(planned_case(session, {formulation, "host", transport}, problem));
        const std::int64_t before = device::buffer_bytes();
        bench::find_needs(session);
        EXPECT_EQ(device::buffer_bytes(), before) << "planning allocates nothing";
        const bench::PlannedCase& planned = session.plan().front();

        device::Arena arena(session.device(), device::Arena::Mode::allocate);
        const auto made = planned.make(arena);
        made->set_up();
        made->prepare_limit(arena);

        const bool receives = problem.receives(session.world().rank());
        const Bytes expected_sums = receives ? problem.size : Bytes{};
        EXPECT_EQ(device::buffer_bytes() - before, (planned.needs.host - expected_sums).value);
        EXPECT_EQ(arena.needs(), planned.needs);
        session.world().barrier();
    }
}

// The other ranks do nothing meanwhile.
TEST_P(PlannedMemoryTest, IsKnownToEachRankAlone) {
    const auto& [formulation, transport] = GetParam();
    bench::CommonOptions options;
    options.device = "host";
    options.formulations = {formulation};
    options.transports = {transport};
    bench::Session session({.name = "stream", .least_ranks = 2}, options,
                           comm::TransportRegistry::standard());
    plan_cases(session, {{mebibytes(1)}, 1, bench::Switch::off});
    for (const bench::PlannedCase& planned : session.plan()) {
        session.transport(planned.name.variant.transport);
    }
    if (session.is_root()) {
        for (const bench::PlannedCase& planned : session.plan()) {
            device::Arena arena(session.device(), device::Arena::Mode::plan);
            planned.make(arena)->prepare_limit(arena);
            EXPECT_GE(arena.needs().host, mebibytes(1)) << planned.name.text();
        }
    }
    session.world().barrier();
}

}  // namespace
}  // namespace quartet::stream
