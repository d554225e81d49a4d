#include "stream/options.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"

namespace quartet::stream {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Options options_of(std::vector<const char*> arguments) {
    bench::CommandLine command_line("stream", "");
    Options options;
    add_options(command_line, options);
    arguments.insert(arguments.begin(), "stream");
    command_line.parse(static_cast<int>(arguments.size()), arguments.data());
    return options;
}

TEST(ParseSizes, CountsMebibytesUnlessAUnitIsGiven) {
    EXPECT_THAT(parse_sizes("2"), ElementsAre(mebibytes(2)));
    EXPECT_THAT(parse_sizes("1,512KiB,4B,2GiB"),
                ElementsAre(mebibytes(1), kibibytes(512), Bytes{4}, gibibytes(2)));
    EXPECT_THAT(parse_sizes("2^4"), ElementsAre(mebibytes(16)));
    EXPECT_THAT(parse_sizes("1.5"), ElementsAre(kibibytes(1536)));
}

TEST(ParseSizes, KeepsTheOrderOfAList) {
    EXPECT_THAT(parse_sizes("8,2,4"), ElementsAre(mebibytes(8), mebibytes(2), mebibytes(4)));
}

TEST(ParseSizes, DropsRepeatedSizesOfAList) {
    EXPECT_THAT(parse_sizes("2,4,2MiB,2048KiB"), ElementsAre(mebibytes(2), mebibytes(4)));
}

TEST(ParseSizes, DoublesWithinARange) {
    EXPECT_THAT(parse_sizes("2:16"),
                ElementsAre(mebibytes(2), mebibytes(4), mebibytes(8), mebibytes(16)));
    EXPECT_THAT(parse_sizes("3:11"), ElementsAre(mebibytes(3), mebibytes(6)));
    EXPECT_THAT(parse_sizes("5:5"), ElementsAre(mebibytes(5)));
    EXPECT_THAT(parse_sizes("512KiB:1"), ElementsAre(kibibytes(512), mebibytes(1)));
    EXPECT_EQ(parse_sizes("4B:1TiB").size(), 39U);
}

TEST(ParseSizes, TakesRangesAmongSizesAndUnitsByTheirLetters) {
    EXPECT_THAT(parse_sizes("2:4,64k"), ElementsAre(mebibytes(2), mebibytes(4), kibibytes(64)));
    EXPECT_THAT(parse_sizes("8k:16KiB,1M"), ElementsAre(kibibytes(8), kibibytes(16), mebibytes(1)));
    EXPECT_THAT(parse_sizes("1e3"), ElementsAre(mebibytes(1000)));
}

TEST(ParseSizes, RefusesAnythingButAListOrRange) {
    for (const char* text :
         {"",          ",",      ":",    "2:",    ":2",   "2,",
          ",2",        "2,,4",   "16:2", "2:4:8", "0",    "0:4",
          "-2",        "3B",     "2B",   "6B",    "0.3B", "two",
          "1TiB,2TiB", "4:2TiB", "2MB",  "1e30",  "2^70", "4:1e19",
          "2 4",       "2^99",   "nan",  "1e7",   "2;4",  "99999999999999999999"}) {
        EXPECT_THAT(message_of<UsageError>([&] { parse_sizes(text); }), Not(HasSubstr("\n")))
            << text;
    }
}

TEST(StreamOptions, AreThePapersByDefault) {
    const Options options = with_defaults(options_of({}));
    EXPECT_EQ(options.sizes, parse_sizes("2:128"));
    EXPECT_EQ(options.pushes, 100);
    EXPECT_EQ(options.pairs, bench::Switch::off);
}

TEST(StreamOptions, OfPairsAreSmallerByDefault) {
    const Options options = with_defaults(options_of({"--pairs"}));
    EXPECT_EQ(options.pairs, bench::Switch::on);
    EXPECT_THAT(options.sizes, ElementsAre(mebibytes(16)));
    EXPECT_EQ(options.pushes, 10);
}

TEST(StreamOptions, AreReadFromTheCommandLine) {
    const Options options =
        with_defaults(options_of({"--pairs", "--sizes", "1,2", "--pushes", "2^5"}));
    EXPECT_THAT(options.sizes, ElementsAre(mebibytes(1), mebibytes(2)));
    EXPECT_EQ(options.pushes, 32);
}

TEST(StreamOptions, RefuseHostileValuesInOneLineThatNamesTheFlag) {
    for (const char* pushes : {"--pushes=0", "--pushes=-1", "--pushes=1048577", "--pushes=1.5",
                               "--pushes=", "--pushes=ten", "--pushes=1\n2"}) {
        EXPECT_THAT(message_of<UsageError>([&] { options_of({pushes}); }),
                    AllOf(HasSubstr("--pushes"), Not(HasSubstr("\n"))));
    }
    for (const char* sizes : {"--sizes=", "--sizes=2:", "--sizes=3B", "--sizes=1\n2"}) {
        EXPECT_THAT(message_of<UsageError>([&] { options_of({sizes}); }),
                    AllOf(HasSubstr("--sizes"), Not(HasSubstr("\n"))));
    }
}

}  // namespace
}  // namespace quartet::stream
