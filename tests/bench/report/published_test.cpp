#include "bench/report/published.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/program/version.hpp"
#include "core/check.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Conditions = std::map<std::string, std::string>;
using Json = nlohmann::json;

Json number(double value, const Conditions& match, const std::string& unit = "MiB/s") {
    return {{"value", value},   {"unit", unit},
            {"bound", "about"}, {"conditions", "number " + std::to_string(int(value))},
            {"section", "VI"},  {"match", match}};
}

Json document(const std::vector<Json>& numbers) {
    return {{"schema_version", 1}, {"source", {{"short", "They 2019"}}}, {"numbers", numbers}};
}

class PublishedTest : public testing::Test {
  protected:
    PublishedNumbers read(const std::string& text) {
        write_text(folder / "stream.json", text);
        return {folder.path(), "stream"};
    }
    PublishedNumbers with(const std::vector<Json>& numbers) {
        return read(document(numbers).dump());
    }

    TemporaryFolder folder;
};

TEST_F(PublishedTest, AMissingFileMeansNoNumbers) {
    const PublishedNumbers numbers(folder.path(), "stream");
    EXPECT_TRUE(numbers.empty());
    EXPECT_FALSE(numbers.nearest({}, "MiB/s", 1));
    EXPECT_FALSE(PublishedNumbers(folder / "no such folder", "stream").nearest({}, "MiB/s", 1));
    EXPECT_FALSE(PublishedNumbers().nearest({}, "MiB/s", 1));
}

TEST_F(PublishedTest, ComparesOursWithTheNumber) {
    auto item = number(200, {});
    item["caveat"] = "with care";
    const auto comparison = with({item}).nearest({}, "MiB/s", 500);

    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->value, 200);
    EXPECT_EQ(comparison->unit, "MiB/s");
    EXPECT_EQ(comparison->bound, "about");
    EXPECT_EQ(comparison->conditions, "number 200");
    EXPECT_EQ(comparison->source, "They 2019, section VI");
    EXPECT_EQ(comparison->caveat, "with care");
    EXPECT_EQ(comparison->ratio, 2.5);
}

TEST_F(PublishedTest, TheMostEqualConditionsWin) {
    const auto numbers = with({number(1, {}), number(2, {{"device", "host"}}),
                               number(3, {{"device", "host"}, {"transport", "mpi"}}),
                               number(4, {{"device", "cuda"}, {"transport", "mpi"}})});
    const auto value = [&](const Conditions& conditions) {
        return numbers.nearest(conditions, "MiB/s", 1)->value;
    };
    EXPECT_EQ(value({{"device", "host"}, {"transport", "mpi"}}), 3);
    EXPECT_EQ(value({{"device", "host"}, {"transport", "shm"}}), 2) << "3 contradicts";
    EXPECT_EQ(value({{"device", "cuda"}, {"transport", "mpi"}}), 4);
    EXPECT_EQ(value({{"device", "other"}}), 1);
}

TEST_F(PublishedTest, OfEqualsTheNearestInWorkersWinsThenTheGreatest) {
    auto few = number(3, {{"device", "cuda"}});
    few["workers"] = 2;
    auto many = number(300, {{"device", "cuda"}});
    many["workers"] = 16;
    const auto numbers = with({few, many, number(1000, {{"device", "cuda"}})});
    const auto value = [&](const char* workers) {
        return numbers.nearest({{"device", "cuda"}, {"workers", workers}}, "MiB/s", 1)->value;
    };
    EXPECT_EQ(value("1"), 3);
    EXPECT_EQ(value("4"), 3);
    EXPECT_EQ(value("12"), 300);
    EXPECT_EQ(numbers.nearest({{"device", "cuda"}}, "MiB/s", 1)->value, 1000);
}

TEST_F(PublishedTest, ANumberOfOtherNodesIsNotOffered) {
    const auto numbers = with({number(6000, {{"device", "host"}, {"nodes", "2"}})});
    EXPECT_FALSE(numbers.nearest({{"device", "host"}, {"nodes", "1"}}, "MiB/s", 1));
    const auto comparison = numbers.nearest({{"device", "host"}, {"nodes", "2"}}, "MiB/s", 1);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->nodes, 2);
}

TEST_F(PublishedTest, UnitsMustBeTheSame) {
    const auto numbers = with({number(1, {}, "GFLOP/s")});
    EXPECT_FALSE(numbers.nearest({}, "MiB/s", 1));
    EXPECT_TRUE(numbers.nearest({}, "GFLOP/s", 1));
}

TEST_F(PublishedTest, NothingThatContradictsIsCompared) {
    EXPECT_FALSE(with({number(1, {{"device", "cuda"}})}).nearest({{"device", "host"}}, "MiB/s", 1));
}

TEST_F(PublishedTest, AFileThatIsSomethingElseIsAFailure) {
    auto without_unit = number(1, {});
    without_unit.erase("unit");
    auto worded = number(1, {});
    worded["value"] = "much";
    auto newer = document({});
    newer["schema_version"] = 2;
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("[]"), std::string("{}\n\n{"),
          document({without_unit}).dump(), document({worded}).dump(), newer.dump()}) {
        EXPECT_THAT(message_of<Failure>([&] { read(text); }),
                    AllOf(HasSubstr("stream.json"), Not(HasSubstr("\n"))))
            << text;
    }
}

TEST(PublishedFolder, IsTheSourceTreesWhereTheSuiteIsNotInstalled) {
    EXPECT_EQ(published_folder(), std::filesystem::path(source_results()) / "published");
}

TEST(PublishedFolder, HoldsWhatThePaperSaysAboutStreamBetweenTwoNodes) {
    const PublishedNumbers numbers(*published_folder(), "stream");
    const auto comparison = numbers.nearest({{"device", "host"}, {"nodes", "2"}}, "MiB/s", 6000);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->value, 6000);
    EXPECT_EQ(comparison->ratio, 1);
    EXPECT_FALSE(numbers.nearest({{"device", "host"}, {"nodes", "1"}}, "MiB/s", 6000));
}

TEST(PublishedFolder, HoldsRatesOfTheOtherKernelsOnGpusAndNeverOffersASpeedUp) {
    const auto nearest = [](const char* kernel, const Conditions& conditions) {
        const PublishedNumbers numbers(*published_folder(), kernel);
        return numbers.nearest(conditions, "GFLOP/s", 600);
    };
    EXPECT_EQ(nearest("matmul", {{"device", "cuda"}, {"nodes", "4"}})->value, 2478);
    EXPECT_EQ(nearest("cg", {{"device", "cuda"}, {"nodes", "4"}})->value, 300);
    EXPECT_EQ(nearest("cg", {{"device", "cuda"}, {"nodes", "4"}})->ratio, 2);
    const Conditions one_gpu{
        {"device", "cuda"}, {"nodes", "1"}, {"workers", "1"}, {"n", "16777216"}};
    EXPECT_EQ(nearest("fft", one_gpu)->value, 594) << "the stronger of two";
    EXPECT_THAT(nearest("fft", one_gpu)->source, HasSubstr("gearshifft"));
    EXPECT_FALSE(nearest("fft", {{"device", "cuda"}, {"workers", "4"}})) << "speed-ups only";
    EXPECT_FALSE(nearest("matmul", {{"device", "cuda"}, {"nodes", "1"}}));
    EXPECT_FALSE(nearest("matmul", {{"device", "host"}}));
}

}  // namespace
}  // namespace quartet::bench
