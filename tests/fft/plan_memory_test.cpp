#include <gtest/gtest.h>

#include "bench/program/plan.hpp"
#include "comm/mpi/shared_folder.hpp"
#include "fft/fake_session.hpp"
#include "support/counted_memory.hpp"

namespace quartet::fft {
namespace {

using bench::Formulation;

struct Way {
    Formulation formulation;
    std::string transport;
};

class PlannedMemoryTest : public testing::TestWithParam<Way> {
  protected:
    // Skips the test, on all ranks alike, where the way cannot be had.
    void SetUp() override {
        const auto& [formulation, transport] = GetParam();
        options.formulations = {formulation};
        options.transports = {transport};
        session = make_session(options);
        if (const auto reason =
                session->registry().why_not(transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
        if (formulation == Formulation::dataflow && session->world().size() < 2) {
            GTEST_SKIP() << "the data flow needs two ranks";
        }
        session->transport(transport);
        session->transport(comm::TransportRegistry::plain_mpi());
        session->message_transport();
    }

    /// What is planned and not counted as allocated, at most: vectors, and what FFTW takes.
    [[nodiscard]] Bytes uncounted(const Problem& problem) const {
        device::Arena arena(session->device(), device::Arena::Mode::plan);
        for (const std::int64_t order : {1, 1, 1, 2}) {
            const RootsOfUnity tables(arena, order * problem.points);
        }
        arena.reserve(4 * bytes_of<Point>(problem.tiles + problem.length()));
        if (GetParam().formulation == Formulation::library) {
            arena.reserve(2 * bytes_of<Point>(problem.points));
        }
        return arena.needs().host;
    }

    bench::CommonOptions options = short_runs();
    std::unique_ptr<bench::Session> session;
};

INSTANTIATE_TEST_SUITE_P(
    Ways, PlannedMemoryTest,
    testing::Values(Way{Formulation::native, "mpi"}, Way{Formulation::native, "shm"},
                    Way{Formulation::library, "mpi"}, Way{Formulation::dataflow, "mpi"},
                    Way{Formulation::dataflow, "shm"}),
    [](const auto& instance) {
        return std::string(name(instance.param.formulation)) + "_" + instance.param.transport;
    });

// Buffers stay below one huge page here, so that all but shared memory is counted.
TEST_P(PlannedMemoryTest, IsWhatACaseAllocates) {
    const auto& [formulation, transport] = GetParam();
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const auto& [tiles, length] : {std::pair{64, 96}, {10, 81}, {11, 26}, {2, 3}}) {
            const Problem problem{std::int64_t{tiles} * length, tiles, order};
            session->plan() = {
                planned_case(*session, {formulation, "host", transport}, problem, {})};
            const std::int64_t before = device::buffer_bytes();
            bench::find_needs(*session);
            EXPECT_EQ(device::buffer_bytes(), before) << "planning allocates nothing";
            const bench::PlannedCase& planned = session->plan().front();
            if (!planned.unavailable.empty()) {
                GTEST_SKIP() << planned.unavailable;
            }

            device::Arena arena(session->device(), device::Arena::Mode::allocate);
            const auto made = planned.make(arena);
            made->set_up();
            made->prepare_limit(arena);

            const Bytes allocated{device::buffer_bytes() - before};
            EXPECT_EQ(arena.needs(), planned.needs) << tiles << " x " << length;
            EXPECT_LE(allocated, planned.needs.host) << tiles << " x " << length;
            if (transport != "shm") {
                EXPECT_GE(allocated + uncounted(problem), planned.needs.host)
                    << tiles << " x " << length;
            }
            session->world().barrier();
        }
    }
}

// The other ranks do nothing meanwhile, and there are no files yet.
TEST_P(PlannedMemoryTest, IsKnownToEachRankAlone) {
    const SharedFolder folder{session->world()};
    Options in_memory;
    in_memory.sizes = {1 << 16};
    Options in_files = in_memory;
    in_files.data.folder = folder.path() / "data";
    in_files.data.generate = bench::Switch::on;
    for (const Options& wanted : {in_memory, in_files}) {
        plan_cases(*session, wanted);
    }
    for (const bench::PlannedCase& planned : session->plan()) {
        if (!session->is_root()) {
            continue;
        }
        device::Arena arena(session->device(), device::Arena::Mode::plan);
        try {
            planned.make(arena)->prepare_limit(arena);
            EXPECT_GE(arena.needs().host, bytes_of<Point>((1 << 16) / session->world().size()))
                << planned.name.text();
        } catch (const Unavailable& reason) {
            EXPECT_EQ(GetParam().formulation, Formulation::library) << reason.what();
        }
    }
    session->world().barrier();
}

}  // namespace
}  // namespace quartet::fft
