#include "core/units.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet {
namespace {

constexpr std::int64_t most_of_64_bits = std::numeric_limits<std::int64_t>::max();

// What no kind of number may look like.
constexpr std::string_view nonsense[] = {"",
                                         " ",
                                         "-1",
                                         "+1",
                                         " 1",
                                         "1 ",
                                         "1\n",
                                         "0x10",
                                         "x",
                                         "2^",
                                         "2^-1",
                                         "2^63",
                                         "2^64",
                                         "2^999999999999",
                                         "3^2",
                                         "nan",
                                         "inf",
                                         "1,5",
                                         "1e-3",
                                         "1e400",
                                         "1e19",
                                         ".5",
                                         "1..5",
                                         "9223372036854775808",
                                         "99999999999999999999",
                                         "8 8",
                                         "1k k"};

TEST(ParseCount, ReadsNumbersAndPowersOfTwo) {
    EXPECT_EQ(parse_count("0"), 0);
    EXPECT_EQ(parse_count("010"), 10) << "decimal, not octal";
    EXPECT_EQ(parse_count("2^0"), 1);
    EXPECT_EQ(parse_count("2^62"), std::int64_t{1} << 62);
    EXPECT_EQ(parse_count("9223372036854775807"), most_of_64_bits);
    for (const std::string_view text : nonsense) {
        EXPECT_THROW(parse_count(text), UsageError) << text;
    }
    for (const char* text : {"1.0", "1e3", "8k", "4KiB"}) {
        EXPECT_THROW(parse_count(text), UsageError) << text;
    }
    EXPECT_THROW(parse_count(std::string_view("1\0", 2)), UsageError);
    EXPECT_THROW(parse_count(std::string(1 << 20, '9')), UsageError);
}

TEST(ParseBytes, ReadsNumbersPowersAndUnits) {
    EXPECT_EQ(parse_bytes("0"), Bytes{0});
    EXPECT_EQ(parse_bytes("513 B"), Bytes{513});
    EXPECT_EQ(parse_bytes("2^4 MiB"), mebibytes(16));
    EXPECT_EQ(parse_bytes("16KiB"), kibibytes(16));
    EXPECT_EQ(parse_bytes("1.5 GiB"), mebibytes(1536));
    EXPECT_EQ(parse_bytes("4.0"), Bytes{4});
    EXPECT_EQ(parse_bytes("0.1 KiB"), Bytes{102}) << "rounded down";
    EXPECT_EQ(parse_bytes("9007199254740993 B"), Bytes{9007199254740993}) << "beyond a double";
    EXPECT_EQ(parse_bytes("64k"), kibibytes(64));
    EXPECT_EQ(parse_bytes("64K"), kibibytes(64));
    EXPECT_EQ(parse_bytes("3g"), gibibytes(3));
    EXPECT_EQ(parse_bytes("2T"), parse_bytes("2 TiB"));
    EXPECT_EQ(parse_bytes("1e6"), Bytes{1000000});
    EXPECT_EQ(parse_bytes("1.25e2 MiB"), mebibytes(125));
    EXPECT_EQ(parse_bytes("8589934591GiB"), gibibytes(8589934591));
    EXPECT_THROW(parse_bytes("8589934592GiB"), UsageError);
    for (const std::string_view text : nonsense) {
        EXPECT_THROW(parse_bytes(text), UsageError) << text;
    }
    for (const char* text : {"1.5", "4KB", "4kib", "4 K iB", "4KiB ", "4  KiB", "4PiB", "KiB"}) {
        EXPECT_THROW(parse_bytes(text), UsageError) << text;
    }
}

TEST(ParseBytes, CountsTheUnitThatIsMeantWithoutOne) {
    EXPECT_EQ(parse_bytes("2", mebibytes(1)), mebibytes(2));
    EXPECT_EQ(parse_bytes("1.5", mebibytes(1)), kibibytes(1536));
    EXPECT_EQ(parse_bytes("8k", mebibytes(1)), kibibytes(8));
    EXPECT_EQ(parse_bytes("8B", mebibytes(1)), Bytes{8});
    EXPECT_THROW(parse_bytes("9223372036854775807", mebibytes(1)), UsageError);
}

TEST(ParseElements, ReadsNumbersPowersAndBinaryMultiples) {
    for (const char* text : {"8192", "2^13", "8k", "8K", "8.0k", "8.192e3"}) {
        EXPECT_EQ(parse_elements(text), 8192) << text;
    }
    EXPECT_EQ(parse_elements("1E4"), 10000);
    EXPECT_EQ(parse_elements("1.5k"), 1536);
    EXPECT_EQ(parse_elements("1G"), std::int64_t{1} << 30);
    EXPECT_EQ(parse_elements("1e18"), 1000000000000000000);
    EXPECT_EQ(parse_elements("9223372036854775807"), most_of_64_bits);
    for (const std::string_view text : nonsense) {
        EXPECT_THROW(parse_elements(text), UsageError) << text;
    }
    for (const char* text : {"1.5", "1.0001k", "8 k", "8KiB", "8B", "8kk"}) {
        EXPECT_THROW(parse_elements(text), UsageError) << text;
    }
}

TEST(Parsing, SaysWhatWhyAndWhatToDoOnOneLine) {
    EXPECT_EQ(message_of<UsageError>([] { static_cast<void>(parse_elements("8KiB")); }),
              "bad number of elements '8KiB' (elements are counted, not bytes): write 8192, 2^13, "
              "8k (which is 8192) or 1e4");
    EXPECT_EQ(message_of<UsageError>([] { parse_bytes("8KB"); }),
              "bad size '8KB' (its unit may mean powers of 1000 or of 1024): write bytes such as "
              "4096, or 2^k, or a number with KiB, MiB, GiB or TiB");
    EXPECT_EQ(message_of<UsageError>([] { parse_bytes("4\nkib"); }).find('\n'), std::string::npos);
}

TEST(ToString, PrintsBytesInTheLargestUnit) {
    EXPECT_EQ(to_string(Bytes{0}), "0 B");
    EXPECT_EQ(to_string(Bytes{513}), "513 B");
    EXPECT_EQ(to_string(mebibytes(1023)), "1023 MiB");
    EXPECT_EQ(to_string(mebibytes(1536)), "1.5 GiB");
    EXPECT_EQ(to_string(Bytes{1234567}), "1.18 MiB");
    EXPECT_EQ(to_string(mebibytes(1) - Bytes{1}), "1020 KiB");
    EXPECT_EQ(to_string(gibibytes(1) + Bytes{1}), "1 GiB");
    EXPECT_EQ(to_string(gibibytes(1 << 23)), "8192 TiB");
    EXPECT_EQ(to_string(Bytes{-1536}), "-1.5 KiB");
}

TEST(ToString, PrintsBytesExactlyWhereThatIsAskedFor) {
    EXPECT_EQ(to_exact_string({0}), "0B");
    EXPECT_EQ(to_exact_string({513}), "513B");
    EXPECT_EQ(to_exact_string(kibibytes(1536)), "1536KiB");
    EXPECT_EQ(to_exact_string(gibibytes(2048)), "2048GiB");
}

}  // namespace
}  // namespace quartet
