#include "bench/report/published.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/results/version.hpp"
#include "core/check.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Conditions = std::map<std::string, std::string>;
using Json = nlohmann::ordered_json;

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

TEST_F(PublishedTest, ANumberOfOtherWorkersIsNotOffered) {
    auto few = number(3, {{"workers", "2"}});
    auto many = number(300, {});
    many["workers"] = 16;
    const auto numbers = with({few, many});
    const auto value = [&](const char* workers) {
        const auto comparison = numbers.nearest({{"workers", workers}}, "MiB/s", 1);
        return comparison ? comparison->value : 0;
    };
    EXPECT_EQ(value("2"), 3);
    EXPECT_EQ(value("16"), 300);
    EXPECT_EQ(value("1"), 0);
    EXPECT_EQ(value("4"), 0);
}

TEST_F(PublishedTest, SizesAreAlikeWithinAFactorOfTwoAndTheNearestWins) {
    auto several = number(2, {});
    several["match"]["n"] = {"4096", "8192"};
    const auto numbers = with({number(1, {{"n", "1024"}}), several});
    const auto value = [&](const char* size) {
        const auto comparison = numbers.nearest({{"n", size}}, "MiB/s", 1);
        return comparison ? comparison->value : 0;
    };
    EXPECT_EQ(value("511"), 0);
    EXPECT_EQ(value("512"), 1);
    EXPECT_EQ(value("1500"), 1);
    EXPECT_EQ(value("2048"), 2) << "a factor of two of both: the greater";
    EXPECT_EQ(value("8192"), 2);
    EXPECT_EQ(value("16384"), 2);
    EXPECT_EQ(value("16385"), 0);
    EXPECT_EQ(value("much"), 0);
}

TEST_F(PublishedTest, OurModelOfDeviceComesFirstThenTheGreatestWhateverTheOrder) {
    const auto of = [](const char* device, double value) {
        auto item = number(value, {{"device", "cuda"}});
        item["device"] = device;
        return item;
    };
    for (const auto& items : {std::vector{of("K80", 149), of("P100 PCIe", 594), of("K20", 3)},
                              std::vector{of("P100 PCIe", 594), of("K20", 3), of("K80", 149)}}) {
        const auto numbers = with(items);
        const auto value = [&](const char* model) {
            return numbers.nearest({{"device", "cuda"}, {"model", model}}, "MiB/s", 1)->value;
        };
        EXPECT_EQ(value("Tesla K80"), 149);
        EXPECT_EQ(value("Tesla P100-PCIE-16GB"), 594);
        EXPECT_EQ(value("NVIDIA H100 80GB HBM3"), 594);
    }
}

TEST_F(PublishedTest, OneOfSeveralValuesIsEnough) {
    auto item = number(1, {});
    item["match"]["transport"] = {"mpi", "rma"};
    const auto numbers = with({item});
    EXPECT_TRUE(numbers.nearest({{"transport", "rma"}}, "MiB/s", 1));
    EXPECT_FALSE(numbers.nearest({{"transport", "grpc"}}, "MiB/s", 1));
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

TEST(PublishedFolder, OursIsSaidToBeWithinOneNodeOrOnSeveral) {
    EXPECT_EQ(place_of_ours(1, 1), "within one node, 1 worker");
    EXPECT_EQ(place_of_ours(4, 16), "on 4 nodes, 16 workers");
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
    EXPECT_FALSE(nearest("matmul", {{"device", "cuda"}, {"nodes", "4"}, {"n", "8192"}}));
    EXPECT_FALSE(nearest("matmul", {{"device", "cuda"}, {"nodes", "4"}, {"workers", "4"}}));
    EXPECT_FALSE(nearest("cg", {{"device", "cuda"}, {"nodes", "4"}, {"workers", "4"}}));
    EXPECT_TRUE(nearest("cg", {{"device", "cuda"}, {"workers", "8"}, {"n", "32768"}}));
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
