#include "bench/program/plan.hpp"

#include <gmock/gmock.h>

#include "bench/fake_session.hpp"
#include "bench/flags/command_line.hpp"
#include "bench/session/variants.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PlanTest : public testing::Test {
  protected:
    // A case in which the last rank needs `memory`, and the others a byte. Nobody has it.
    PlannedCase case_of(const Session& session, const std::string& size, Bytes memory) {
        PlannedCase planned;
        planned.name = row_name(session, {Formulation::native, "host", "mpi"}, size);
        planned.needs.host = rank == last ? memory : Bytes{1};
        planned.traffic = mebibytes(1);
        return planned;
    }

    std::string refusal_of(Session& session) {
        const std::string message = message_of<UsageError>([&] { require_memory(session); });
        for (const std::string& other : world.gather(message)) {
            EXPECT_EQ(other, message) << "all ranks agree";
        }
        EXPECT_THAT(message, Not(HasSubstr("\n")));
        return message;
    }

    CommonOptions options;
    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int last = world.size() - 1;
};

TEST_F(PlanTest, WhatFitsIsAllowed) {
    options.memory = mebibytes(1);
    Session session = fake_session(options);
    EXPECT_NO_THROW(require_memory(session)) << "nothing needs nothing";
    session.add(case_of(session, "1MiB", mebibytes(1)));
    EXPECT_NO_THROW(require_memory(session));
}

TEST_F(PlanTest, WhatExceedsTheMemoryAllowedIsRefused) {
    options.memory = mebibytes(1);
    Session session = fake_session(options);
    session.add(case_of(session, "small", kibibytes(1)));
    session.add(case_of(session, "large", mebibytes(3)));
    EXPECT_THAT(refusal_of(session), AllOf(HasSubstr("size:large"), HasSubstr("3 MiB"),
                                           HasSubstr("--memory allows 1 MiB")));
}

TEST_F(PlanTest, WhatExceedsTheNodesMemoryIsRefused) {
    Session session = fake_session(options);
    session.add(case_of(session, "absurd", gibibytes(1 << 20)));
    EXPECT_THAT(refusal_of(session), AllOf(HasSubstr("size:absurd"), HasSubstr("are available")));
}

TEST_F(PlanTest, TheDryRunShowsRanksCasesAndTime) {
    options.runs.count = 1;
    Session session = fake_session(options);
    session.add(case_of(session, "2MiB", mebibytes(3)));

    const std::string text = describe_plan(session);

    EXPECT_THAT(text, HasSubstr(session.plan().front().name.text() + "\n    3 MiB, "));
    EXPECT_THAT(text, HasSubstr(": rank " + std::to_string(last) + " on "));
    EXPECT_THAT(text, HasSubstr("files: none\n"));
    EXPECT_THAT(text, testing::ContainsRegex("\nestimated time: [0-9]+\\.[0-9] s\n$"));
}

TEST_F(PlanTest, TheListSaysWhyTheRestCannotRun) {
    Session session = fake_session(options);
    const std::string text = describe_choices(session);
    EXPECT_THAT(text, testing::ContainsRegex("  host +available\n"));
    EXPECT_THAT(text, testing::ContainsRegex("  native +available\n"));
    EXPECT_THAT(text, testing::ContainsRegex("  library +not available in this build\n"));
    EXPECT_THAT(text, testing::ContainsRegex("  mpi +available\n"));
    EXPECT_THAT(text, HasSubstr("host's loops (used: " + session.isa() + ")\n"));
    EXPECT_THAT(text, testing::ContainsRegex("  " + session.isa() + " +available\n"));
    EXPECT_THAT(text, testing::ContainsRegex("  ipc +transport ipc moves memory of GPUs: .+\n"));
}

class FilterTest : public testing::Test {
  protected:
    void add(Session& session, const std::string& size) const {
        PlannedCase planned;
        planned.name = row_name(session, {Formulation::native, "host", "mpi"}, size);
        planned.needs.host = mebibytes(1 << 30);
        session.add(planned);
    }

    std::vector<std::string> left(const std::string& filter) const {
        CommonOptions options;
        options.filter = filter;
        Session session = fake_session(options);
        for (const char* size : {"1MiB", "2MiB", "16MiB"}) {
            add(session, size);
        }
        apply_filter(session);
        std::vector<std::string> sizes;
        for (const PlannedCase& planned : session.plan()) {
            sizes.push_back(planned.name.size);
        }
        return sizes;
    }
};

TEST_F(FilterTest, KeepsWhatMatchesAnywhereInItsName) {
    EXPECT_THAT(left("size:2MiB"), ElementsAre("2MiB"));
    EXPECT_THAT(left("[12]MiB"), ElementsAre("1MiB", "2MiB"));
    EXPECT_THAT(left("^kernel/native/"), ElementsAre("1MiB", "2MiB", "16MiB"));
    EXPECT_THAT(left("6MiB/ranks:\\d+"), ElementsAre("16MiB"));
}

TEST_F(FilterTest, NamesTheRowsThereAreWhereNoneMatches) {
    EXPECT_THAT(message_of<UsageError>([&] { left("size:4MiB"); }),
                AllOf(HasSubstr("--filter: 'size:4MiB' matches no row"), HasSubstr("size:1MiB/"),
                      HasSubstr("size:16MiB/"), Not(HasSubstr("\n"))));
    CommonOptions options;
    options.filter = "x";
    Session session = fake_session(options);
    for (int size = 0; size < 20; ++size) {
        add(session, std::to_string(size));
    }
    EXPECT_THAT(message_of<UsageError>([&] { apply_filter(session); }),
                testing::EndsWith("and 16 more"));
}

TEST_F(FilterTest, KnowsTheRowsOfThePapersTime) {
    CommonOptions options;
    options.filter = "paper$";
    Session session = fake_session(options);
    PlannedCase planned;
    planned.name = row_name(session, {Formulation::native, "host", "mpi"}, "1MiB");
    session.add(planned);
    planned.has_paper_time = true;
    session.add(planned);
    apply_filter(session);
    ASSERT_EQ(session.plan().size(), 1U);
    EXPECT_TRUE(session.plan().front().has_paper_time);
}

TEST(ParseFilter, RefusesWhatIsNoPatternInOneLine) {
    EXPECT_EQ(parse_filter("a.*b"), "a.*b");
    for (const std::string& bad :
         {std::string(), std::string("("), std::string("["), std::string("*"), std::string("a{2"),
          std::string("\\"), std::string("(\n"), std::string("a{99999}"), std::string("(a)\\1"),
          std::string(201, 'a'), std::string(1 << 20, '(')}) {
        EXPECT_THAT(message_of<UsageError>([&] { static_cast<void>(parse_filter(bad)); }),
                    AllOf(Not(HasSubstr("\n")), Not(testing::IsEmpty())))
            << bad.substr(0, 20);
    }
}

// Such patterns take exponentially long where they are tried one way after the other.
TEST_F(FilterTest, TakesNoLongerForHardPatterns) {
    const Seconds begin = now();
    for (const char* hard : {"(.*)*x!", "(.*)(.*)(.*)(.*)!", "(a|a)*b!"}) {
        EXPECT_THROW(left(hard), UsageError);
    }
    EXPECT_LT(now() - begin, Seconds{20});
}

}  // namespace
}  // namespace quartet::bench
