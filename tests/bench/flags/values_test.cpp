#include "bench/flags/command_line.hpp"

#include <gmock/gmock.h>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t most = std::int64_t{1} << 44;

TEST(ParseSizes, ReadsListsAndRanges) {
    EXPECT_THAT(parse_sizes("8192", most), ElementsAre(8192));
    EXPECT_THAT(parse_sizes("8k,1e4,2^14", most), ElementsAre(8192, 10000, 16384));
    EXPECT_THAT(parse_sizes("2:16", most), ElementsAre(2, 4, 8, 16));
    EXPECT_THAT(parse_sizes("3:11", most), ElementsAre(3, 6)) << "the end need not be reached";
    EXPECT_THAT(parse_sizes("1k:4k,100", most), ElementsAre(1024, 2048, 4096, 100));
    EXPECT_THAT(parse_sizes("4,2:8,8", most), ElementsAre(4, 2, 8)) << "each once";
    EXPECT_EQ(parse_sizes("1:2^44", most).size(), 45U);
    EXPECT_EQ(parse_sizes("1:9223372036854775807", INT64_MAX).size(), 63U);
}

TEST(ParseSizes, RefusesAnythingElseInOneLine) {
    for (const char* text :
         {"",    ",",   ":",    "2:",  ":2",   "2,",   ",2",    "2,,4", "2:4:8",  "16:2",
          "0",   "0:4", "-2",   "1.5", "1e30", "2^70", "2^45",  "1e14", "1:2^45", "8KiB",
          "8 k", "two", "1\n2", "2;4", "nan",  "--",   "1e3e3", "1k:",  "1:1e30", "8kB"}) {
        EXPECT_THAT(message_of<UsageError>([&] { parse_sizes(text, most); }),
                    AllOf(Not(HasSubstr("\n")), Not(testing::IsEmpty())))
            << text;
    }
}

TEST(ParseSizes, RefusesListsThatNobodyWouldRun) {
    std::string list = "1";
    for (int size = 2; size <= 1001; ++size) {
        list += "," + std::to_string(size);
    }
    EXPECT_THAT(message_of<UsageError>([&] { parse_sizes(list, most); }),
                HasSubstr("give at most 1000"));
    list.resize(list.rfind(','));
    EXPECT_EQ(parse_sizes(list, most).size(), 1000U);
    std::string ranges;
    for (int first = 1; first < 100; first += 2) {
        ranges += std::to_string(first) + ":2^44,";
    }
    ranges.pop_back();
    EXPECT_THAT(message_of<UsageError>([&] { parse_sizes(ranges, most); }),
                HasSubstr("give at most 1000"));
    EXPECT_LT(message_of<UsageError>([] { parse_list(std::string(1 << 20, ',')); }).size(), 600U);
}

TEST(ParseGpuMap, TakesAListOfNumbers) {
    EXPECT_THAT(parse_gpu_map("0"), ElementsAre(0));
    EXPECT_THAT(parse_gpu_map("3,0,3"), ElementsAre(3, 0, 3));
    for (const char* text : {"", ",", "0,", ",0", "-1", "a", "0;1", "1024", "0 1"}) {
        EXPECT_THROW(parse_gpu_map(text), UsageError) << text;
    }
}

}  // namespace
}  // namespace quartet::bench
