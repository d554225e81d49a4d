#include <gtest/gtest.h>

#include "cg/cg_session.hpp"
#include "cg/solve_case.hpp"
#include "support/counted_memory.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;

TEST(SolveCaseAllocation, ARunAllocatesNothing) {
    const auto session = make_session();
    for (const char* transport : {"mpi", "shm"}) {
        for (const Storage storage : {Storage::full, Storage::symmetric}) {
            SolveCase subject(*session, {Formulation::native, "host", transport},
                              {"random", 100, 20, storage}, {});
            bench::Clocks clocks(0);
            subject.prepare();
            const long before = device::allocations();

            subject.run(clocks);

            EXPECT_EQ(device::allocations() - before, 0) << transport << ", " << name(storage);
            EXPECT_TRUE(subject.verify().passed);
        }
    }
}

TEST(SolveCaseAllocation, ARunOfTheLibraryFormulationAllocatesNothing) {
    const auto session = make_session();
    SolveCase subject(*session, {Formulation::library, "host", "mpi"}, {"random", 100, 20}, {});
    bench::Clocks clocks(0);
    subject.prepare();
    const long before = device::allocations();

    subject.run(clocks);

    EXPECT_EQ(device::allocations() - before, 0);
    EXPECT_TRUE(subject.verify().passed);
}

}  // namespace
}  // namespace quartet::cg
