#include "cg/native/distributed_matrix.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "cg/cg_session.hpp"
#include "cg/make_loop.hpp"
#include "cg/system/random_system.hpp"

namespace quartet::cg {
namespace {

struct Way {
    std::string transport;
    Storage storage;
    int threads;
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << name(way.storage) << " over " << way.transport << ", " << way.threads << " threads";
}

class DistributedMatrixTest : public testing::TestWithParam<Way> {
  protected:
    DistributedMatrixTest() {
        bench::CommonOptions options;
        options.threads = GetParam().threads;
        session = make_session(options);
    }

    [[nodiscard]] Problem problem(std::int64_t size) const {
        return {"random", size, 1, GetParam().storage, Algorithm::classic};
    }

    std::unique_ptr<bench::Session> session;
};

TEST_P(DistributedMatrixTest, MultipliesAsOneMatrix) {
    for (const std::int64_t size : {1, 3, 4, 17, 33, 259}) {
        const RandomSystem system(size, 1);
        comm::Transport& transport = session->transport(GetParam().transport);
        bench::Arena arena(session->device(), transport);
        auto sum = device::allocate<double>(session->device(), 1);
        DistributedMatrix matrix(*session, arena, transport, problem(size), sum.view());
        matrix.share().fill([&](std::int64_t row, std::int64_t first, std::span<double> out) {
            system.read_row(row, first, out);
        });
        const Range rows = matrix.rows();
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            matrix.residual().span()[static_cast<std::size_t>(row - rows.begin)] =
                static_cast<double>(system.solution()[static_cast<std::size_t>(row)]);
        }
        const auto whole = matrix.gather(matrix.residual());
        session->device().copy(device::as_bytes(whole), device::as_bytes(matrix.multiplied()),
                               session->stream());

        matrix.multiply_and_dot();
        session->stream().synchronize();

        double dot = 0;
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            EXPECT_NEAR(matrix.output().span()[static_cast<std::size_t>(row - rows.begin)],
                        system.right_side()[static_cast<std::size_t>(row)], 1e-9)
                << size;
            dot += matrix.residual().span()[static_cast<std::size_t>(row - rows.begin)] *
                   matrix.output().span()[static_cast<std::size_t>(row - rows.begin)];
        }
        EXPECT_NEAR(sum.span()[0], dot, 1e-12 * std::abs(dot)) << size;
        ASSERT_EQ(whole.size(), size);
        for (std::size_t i = 0; i < system.solution().size(); ++i) {
            EXPECT_EQ(whole.span()[i], static_cast<double>(system.solution()[i]));
        }
        session->world().barrier();
    }
}

TEST_P(DistributedMatrixTest, MemoryIsTheShareAndAFewVectors) {
    const int ranks = session->world().size();
    const std::int64_t elements = 4096LL * 4096 / ranks;
    bench::Arena arena;
    DistributedMatrix::count(arena, *session,
                             {session->registry().traits(GetParam().transport), {}}, problem(4096));
    const DistributedMatrix::Buffers buffers(arena, *session, problem(4096));
    const Bytes memory = arena.device();
    const double share =
        static_cast<double>(elements) * (GetParam().storage == Storage::full ? 8 : 4);
    EXPECT_GE(static_cast<double>(memory.value), share);
    EXPECT_LE(static_cast<double>(memory.value), 1.06 * share);
}

INSTANTIATE_TEST_SUITE_P(Ways, DistributedMatrixTest,
                         testing::Values(Way{"mpi", Storage::full, 1}, Way{"shm", Storage::full, 2},
                                         Way{"mpi", Storage::symmetric, 2},
                                         Way{"shm", Storage::symmetric, 1}));

TEST(DistributedMatrix, IsUnavailableOverATransportThatOnlyPushes) {
    const auto session = make_session();
    const auto reason = session->registry().why_not("rma", session->transport_context());
    if (reason) {
        GTEST_SKIP() << *reason;
    }
    const Problem problem{"random", 10, 1, Storage::full, Algorithm::classic};
    EXPECT_THROW(
        make_loop(*session, session->transport("rma"), problem, bench::Formulation::native),
        Unavailable);
}

}  // namespace
}  // namespace quartet::cg
