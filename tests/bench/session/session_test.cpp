#include "bench/session/session.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "bench/fake_session.hpp"
#include "bench/session/variants.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

class SessionTest : public testing::Test {
  protected:
    // "formulation/transport" of each.
    std::vector<std::string> variants_of(std::vector<Formulation> formulations,
                                         std::vector<std::string> transports) {
        CommonOptions options;
        options.formulations = std::move(formulations);
        options.transports = std::move(transports);
        Session session = fake_session(options);
        std::vector<std::string> texts;
        for (const Variant& variant : variants(session)) {
            EXPECT_EQ(variant.device, "host");
            texts.push_back(fmt::format("{}/{}", name(variant.formulation), variant.transport));
        }
        return texts;
    }

    const comm::Communicator world = comm::Communicator::world();
};

TEST_F(SessionTest, ResolvesAutomaticTransportsAndRunsThemOnce) {
    const comm::Topology topology(world);
    const std::string automatic = topology.nodes() == 1 ? "shm" : "mpi";
    EXPECT_THAT(variants_of({Formulation::native}, {"auto"}), ElementsAre("native/" + automatic));
    EXPECT_THAT(variants_of({Formulation::native}, {"auto", automatic}),
                ElementsAre("native/" + automatic));
}

TEST_F(SessionTest, TheLibraryRunsOverMpiWhereThatIsAskedFor) {
    EXPECT_THAT(variants_of({Formulation::library}, {"auto"}), ElementsAre("library/mpi"));
    EXPECT_THAT(variants_of({Formulation::library}, {"shm", "mpi"}), ElementsAre("library/mpi"));
    EXPECT_THAT(variants_of({Formulation::library}, {"shm"}), ElementsAre("library/shm"))
        << "to be refused with the reason";
}

TEST_F(SessionTest, RefusesUnknownTransportsInOneLine) {
    CommonOptions options;
    for (const std::string name : {"tcp", "m\npi"}) {
        options.transports = {"mpi", name};
        EXPECT_THAT(message_of<UsageError>([&] { fake_session(options); }),
                    AllOf(HasSubstr("--transport"), HasSubstr("is not one of mpi|"),
                          testing::Not(HasSubstr("\n"))));
    }
}

TEST_F(SessionTest, ComputesWithTheInstructionSetThatIsAskedFor) {
    EXPECT_EQ(fake_session({}).isa(), device::best_loops().isa);
    CommonOptions options;
    for (const device::Loops* loops : device::compiled_loops()) {
        options.isa = loops->isa;
        if (device::processor_has(loops->isa)) {
            EXPECT_EQ(fake_session(options).isa(), loops->isa);
        } else {
            EXPECT_THROW(fake_session(options), Unavailable);
        }
    }
}

TEST_F(SessionTest, RefusesTooFewRanksAndSaysHowManyItTakes) {
    const int needed = world.size() + 1;
    const ProgramDescription description{.name = "kernel", .least_ranks = needed};
    const auto start = [&](const CommonOptions& options) {
        Session session(description, options, comm::TransportRegistry::standard());
    };
    EXPECT_THAT(message_of<UsageError>([&] { start({}); }),
                HasSubstr("mpirun -np " + std::to_string(needed) + " kernel"));

    CommonOptions listing;
    listing.list = Switch::on;
    EXPECT_NO_THROW(start(listing)) << "what there is can be asked for with any";
}

// A folder of rank 0's, which all ranks know.
class SessionFilesTest : public SessionTest {
  protected:
    SessionFilesTest() {
        if (world.rank() == 0) {
            temporary.emplace();
        }
        folder = world.broadcast(world.rank() == 0 ? temporary->path().string() : "", 0);
    }
    void TearDown() override { world.barrier(); }

    [[nodiscard]] CommonOptions writing(const std::string& file) const {
        CommonOptions options;
        options.json = folder / file;
        return options;
    }

    std::optional<TemporaryFolder> temporary;
    std::filesystem::path folder;
};

TEST_F(SessionFilesTest, RefusesOnAllRanksWhatCannotBeWritten) {
    fake_session(writing("r.json")).require_writable_results();
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << "it leaves nothing";
    EXPECT_THAT(message_of<UsageError>(
                    [&] { fake_session(writing("none/r.json")).require_writable_results(); }),
                HasSubstr("none"));
    CommonOptions same = writing("r.json");
    same.trace = same.json;
    EXPECT_THAT(message_of<UsageError>([&] { fake_session(same).require_writable_results(); }),
                HasSubstr("--json and --trace name the same file"));
}

TEST(RunRecord, HasTheVariablesThatMayChangeResultsAndNoOthers) {
    setenv("QUARTET_TESTED", "here", 1);
    setenv("SOMETHING_ELSE", "there", 1);
    const RunRecord record;
    EXPECT_THAT(record.environment.seen(), Contains(Pair("QUARTET_TESTED", "here")));
    EXPECT_THAT(record.environment.seen(), Not(Contains(Key("SOMETHING_ELSE"))));
}

}  // namespace
}  // namespace quartet::bench
