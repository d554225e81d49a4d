#include "matmul/plan.hpp"

#include <gmock/gmock.h>

#include "bench/measured.hpp"
#include "bench/program/plan.hpp"
#include "comm/mpi/shared_folder.hpp"
#include "core/message_of.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Where the tiles are: in memory over a transport, or in files.
struct Storage {
    std::string name;
    std::string transport;
    std::optional<FileCache> files;
};

void PrintTo(const Storage& storage, std::ostream* out) {
    *out << storage.name;
}

class MultiplyCaseTest : public testing::Test {
  protected:
    MultiplyCaseTest() {
        common.device = "host";
        common.runs = {2, 0.05, 1};
        common.threads = 1;
    }

    void choose(const Storage& storage) {
        common.transports = {storage.transport};
        if (storage.files) {
            options.data = {folder, bench::Switch::on, bench::Switch::off, *storage.files};
        }
    }

    /// The session with its one case planned.
    bench::Session& plan(std::int64_t size, std::int64_t tile) {
        options.sizes = {size};
        options.tile = tile;
        const bench::ProgramDescription description{.name = "matmul"};
        session = std::make_unique<bench::Session>(description, common,
                                                   comm::TransportRegistry::standard());
        plan_cases(*session, options);
        bench::find_needs(*session);
        return *session;
    }
    bench::Row measured(std::int64_t size, std::int64_t tile) {
        plan(size, tile);
        return bench::measure(*session, session->plan().front(), [](int, int) {}).front();
    }
    /// One run of the case, which is left for inspection.
    MultiplyCase& run_once(std::int64_t size, std::int64_t tile) {
        plan(size, tile);
        device::Arena arena(session->device(), device::Arena::Mode::allocate);
        made = session->plan().front().make(arena);
        made->set_up();
        made->prepare_limit(arena);
        EXPECT_TRUE(arena.needs() == session->plan().front().needs);
        auto& subject = dynamic_cast<MultiplyCase&>(*made);
        subject.prepare();
        subject.run();
        return subject;
    }
    [[nodiscard]] Problem problem() const {
        const std::int64_t size = options.sizes.front();
        return {size, std::min(*options.tile, size), common.seed};
    }
    /// Ends the case and removes its folder.
    void clear() {
        made.reset();
        shared.once([&] { std::filesystem::remove_all(folder); });
    }
    /// Compares every element with a product in float64.
    void expect_product(MultiplyCase& subject) {
        const auto reference =
            product(problem(), whole_matrix(problem(), "A"), whole_matrix(problem(), "B"));
        for_each_tile(partition(problem(), world.size())[static_cast<std::size_t>(world.rank())],
                      [&](TileIndex tile) {
                          EXPECT_LT(largest_difference(problem(), reference, tile,
                                                       subject.product().result(tile)),
                                    1e-5);
                      });
    }

    const comm::Communicator world = comm::Communicator::world();
    const SharedFolder shared{world};
    const std::filesystem::path folder = shared.path() / "tiles";
    bench::CommonOptions common;
    Options options;
    std::unique_ptr<bench::Session> session;
    std::unique_ptr<bench::Case> made;  ///< before its session in destruction
};

class EveryStorage : public MultiplyCaseTest, public testing::WithParamInterface<Storage> {
  protected:
    void SetUp() override { choose(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Storages, EveryStorage,
                         testing::Values(Storage{"shared", "shm", {}}, Storage{"own", "mpi", {}},
                                         Storage{"files", "mpi", FileCache::warm},
                                         Storage{"dropped_files", "shm", FileCache::drop}),
                         [](const auto& storage) { return storage.param.name; });

TEST_P(EveryStorage, IsTheProductInFloat64) {
    for (const auto& [size, tile] : {std::pair(64, 16), std::pair(50, 16), std::pair(20, 64),
                                     std::pair(1, 1), std::pair(33, 11), std::pair(17, 16)}) {
        MultiplyCase& subject = run_once(size, tile);
        expect_product(subject);
        EXPECT_TRUE(subject.verify().passed) << size << ", " << tile;
        clear();
    }
}

TEST_P(EveryStorage, IsPlannedByARankAlone) {
    common.formulations = {bench::Formulation::native, bench::Formulation::library};
    if (world.size() > 1) {
        common.formulations.push_back(bench::Formulation::dataflow);
    }
    for (const bench::PlannedCase& planned : plan(50, 16).plan()) {
        if (world.rank() == 0 && planned.unavailable.empty()) {
            device::Arena arena(session->device(), device::Arena::Mode::plan);
            planned.make(arena)->prepare_limit(arena);
            EXPECT_TRUE(arena.needs() == planned.needs);
        }
        world.barrier();
    }
}

TEST_F(MultiplyCaseTest, FailsForAWrongElement) {
    choose({"own", "mpi", {}});
    MultiplyCase& subject = run_once(64, 16);
    EXPECT_TRUE(subject.verify().passed);
    if (world.rank() == world.size() - 1) {
        const Block block = partition(problem(), world.size()).back();
        const auto tile = subject.product().result({block.rows.begin, block.columns.begin});
        const_cast<float&>(tile.back()) *= 1.05F;
    }
    const bench::Check check = subject.verify();
    EXPECT_FALSE(check.passed) << "on all ranks";
    EXPECT_GT(check.error, check.tolerance);
}

/// ScaLAPACK's product, where that was found.
class Library : public MultiplyCaseTest {
  protected:
    void SetUp() override {
        common.formulations = {bench::Formulation::library};
        choose({"library", "mpi", {}});
        if (const std::string reason = plan(8, 8).plan().front().unavailable; !reason.empty()) {
            GTEST_SKIP() << reason;
        }
    }
};

TEST_F(Library, IsMeasuredVerifiedAndSaysHowItsMatricesLie) {
    // Many blocks on each rank, ragged blocks and tiles, more ranks than rows of tiles, one
    // element.
    for (const auto& [size, tile] : {std::pair{600, 100}, {333, 100}, {96, 96}, {1, 1}}) {
        const bench::Row row = measured(size, tile);
        EXPECT_TRUE(row.check->passed) << size;
        EXPECT_THAT(row.note, AllOf(HasSubstr("block-cyclic, blocks of"),
                                    HasSubstr("process grid; "), HasSubstr("BLAS")));
    }
}

TEST_F(Library, RefusesWhatItCannotDo) {
    EXPECT_THAT(plan(std::int64_t{1} << 20, 1024).plan().front().unavailable, HasSubstr("32 bits"));
    common.transports = {"shm"};
    EXPECT_THAT(plan(8, 4).plan().front().unavailable, HasSubstr("--transport mpi"));
}

}  // namespace
}  // namespace quartet::matmul
