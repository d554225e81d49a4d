#include "stream/plan.hpp"

#include <gtest/gtest.h>

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
        const bench::PlannedCase planned =
            planned_case(session, {formulation, "host", transport}, problem);
        static_cast<void>(session.transport(transport));
        static_cast<void>(session.transport(comm::TransportRegistry::plain_mpi()));
        const std::int64_t before = device::buffer_bytes();

        const auto made = planned.make();
        made->prepare_limit();

        const bool receives = problem.receives(session.world().rank());
        const Bytes expected_sums = receives ? problem.size : Bytes{};
        EXPECT_EQ(device::buffer_bytes() - before, (planned.needs.host - expected_sums).value);
        session.world().barrier();
    }
}

}  // namespace
}  // namespace quartet::stream
