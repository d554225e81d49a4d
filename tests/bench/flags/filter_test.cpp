#include "bench/flags/filter.hpp"

#include <gmock/gmock.h>

#include "bench/fake_session.hpp"
#include "bench/session/variants.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class FilterTest : public testing::Test {
  protected:
    void add(Session& session, const std::string& size) const {
        PlannedCase planned;
        planned.name = row_name(session, {Formulation::native, "host", "mpi"}, size);
        planned.memory = mebibytes(1 << 30);
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

TEST_F(FilterTest, KnowsTheRowsOfACasesOwnClocks) {
    CommonOptions options;
    options.filter = "pair:0-1$";
    Session session = fake_session(options);
    PlannedCase planned;
    planned.name = row_name(session, {Formulation::native, "host", "mpi"}, "1MiB");
    planned.whole = WholeRow::omitted;
    for (const char* pair : {"pair:0-1", "pair:1-0"}) {
        planned.clock_rows = {{pair, {}}};
        session.add(planned);
    }
    apply_filter(session);
    ASSERT_EQ(session.plan().size(), 1U);
    EXPECT_EQ(session.plan().front().clock_rows.front().name, "pair:0-1");
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
