#include "core/units.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet {
namespace {

constexpr std::int64_t most_of_64_bits = std::numeric_limits<std::int64_t>::max();

TEST(ParseCount, ReadsNumbersAndPowersOfTwo) {
    EXPECT_EQ(parse_count("0"), 0);
    EXPECT_EQ(parse_count("8192"), 8192);
    EXPECT_EQ(parse_count("010"), 10) << "decimal, not octal";
    EXPECT_EQ(parse_count("2^0"), 1);
    EXPECT_EQ(parse_count("2^24"), 16777216);
    EXPECT_EQ(parse_count("2^62"), std::int64_t{1} << 62);
    EXPECT_EQ(parse_count("9223372036854775807"), most_of_64_bits);
}

TEST(ParseCount, RefusesEverythingElse) {
    for (const char* text : {"",
                             " ",
                             "-1",
                             "+1",
                             "1e3",
                             "2^63",
                             "2^64",
                             "2^-1",
                             "2^",
                             "^2",
                             "3^2",
                             "2**3",
                             "1.5",
                             "nan",
                             "inf",
                             "0x10",
                             "1,000",
                             "1 000",
                             " 1",
                             "1 ",
                             "1\n",
                             "9223372036854775808",
                             "99999999999999999999999",
                             "2^99999999999999999999999",
                             "1KiB",
                             "eight",
                             "\xff"}) {
        EXPECT_THROW(parse_count(text), UsageError) << text;
    }
    EXPECT_THROW(parse_count(std::string_view("1\0", 2)), UsageError);
    EXPECT_THROW(parse_count(std::string(1 << 20, '9')), UsageError);
}

TEST(ParseBytes, ReadsNumbersPowersAndUnits) {
    EXPECT_EQ(parse_bytes("0"), Bytes{0});
    EXPECT_EQ(parse_bytes("4096"), Bytes{4096});
    EXPECT_EQ(parse_bytes("513 B"), Bytes{513});
    EXPECT_EQ(parse_bytes("2^24"), mebibytes(16));
    EXPECT_EQ(parse_bytes("2^4 MiB"), mebibytes(16));
    EXPECT_EQ(parse_bytes("16KiB"), kibibytes(16));
    EXPECT_EQ(parse_bytes("16 KiB"), kibibytes(16));
    EXPECT_EQ(parse_bytes("1.5 GiB"), mebibytes(1536));
    EXPECT_EQ(parse_bytes("0.5KiB"), Bytes{512});
    EXPECT_EQ(parse_bytes("4.0"), Bytes{4});
    EXPECT_EQ(parse_bytes("2 TiB"), gibibytes(2048));
    EXPECT_EQ(parse_bytes("0.1 KiB"), Bytes{102}) << "rounded down";
    EXPECT_EQ(parse_bytes("9007199254740993 B"), Bytes{9007199254740993}) << "beyond a double";
}

TEST(ParseBytes, ReadsLettersAndExponents) {
    for (const char* text : {"64k", "64K", "64 k", "64KiB", "65536", "2^6k", "0.0625M"}) {
        EXPECT_EQ(parse_bytes(text), kibibytes(64)) << text;
    }
    EXPECT_EQ(parse_bytes("1M"), mebibytes(1));
    EXPECT_EQ(parse_bytes("3g"), gibibytes(3));
    EXPECT_EQ(parse_bytes("2T"), gibibytes(2048));
    EXPECT_EQ(parse_bytes("1e6"), Bytes{1000000});
    EXPECT_EQ(parse_bytes("1e3KiB"), kibibytes(1000));
    EXPECT_EQ(parse_bytes("1.25e2 MiB"), mebibytes(125));
}

TEST(ParseBytes, CountsTheUnitThatIsMeantWithoutOne) {
    EXPECT_EQ(parse_bytes("2", mebibytes(1)), mebibytes(2));
    EXPECT_EQ(parse_bytes("1.5", mebibytes(1)), kibibytes(1536));
    EXPECT_EQ(parse_bytes("2^4", mebibytes(1)), mebibytes(16));
    EXPECT_EQ(parse_bytes("1e4", mebibytes(1)), mebibytes(10000));
    EXPECT_EQ(parse_bytes("8k", mebibytes(1)), kibibytes(8));
    EXPECT_EQ(parse_bytes("8B", mebibytes(1)), Bytes{8});
    EXPECT_THROW(parse_bytes("9223372036854775807", mebibytes(1)), UsageError);
}

TEST(ParseElements, ReadsNumbersPowersAndBinaryMultiples) {
    for (const char* text :
         {"8192", "2^13", "8k", "8K", "2^3k", "0.0078125M", "8192.0", "8.192e3"}) {
        EXPECT_EQ(parse_elements(text), 8192) << text;
    }
    EXPECT_EQ(parse_elements("1e4"), 10000);
    EXPECT_EQ(parse_elements("1E4"), 10000);
    EXPECT_EQ(parse_elements("1.5e3"), 1500);
    EXPECT_EQ(parse_elements("1.5k"), 1536);
    EXPECT_EQ(parse_elements("1M"), std::int64_t{1} << 20);
    EXPECT_EQ(parse_elements("1G"), std::int64_t{1} << 30);
    EXPECT_EQ(parse_elements("1e18"), 1000000000000000000);
    EXPECT_EQ(parse_elements("9223372036854775807"), most_of_64_bits);
    EXPECT_EQ(parse_elements("0"), 0);
}

TEST(ParseElements, RefusesEverythingElse) {
    for (const char* text : {"",
                             " ",
                             "-1",
                             "+1",
                             "k",
                             "e4",
                             "1e",
                             "1e-1",
                             "1e30",
                             "2^70",
                             "1.5",
                             "0.1k",
                             "1.5e0",
                             "8 k",
                             "8kk",
                             "8Ki",
                             "8KiB",
                             "8kB",
                             "8B",
                             "8k ",
                             " 8k",
                             "8P",
                             "8x",
                             "8,192",
                             "0x10",
                             "nan",
                             "inf",
                             "9223372036854775808",
                             "9007199254740992M",
                             "0.99999999999999999999999"}) {
        EXPECT_THROW(parse_elements(text), UsageError) << text;
    }
    EXPECT_THROW(parse_elements(std::string(1 << 20, '9')), UsageError);
    EXPECT_THROW(parse_elements("1." + std::string(1 << 20, '9')), UsageError);
    EXPECT_THROW(parse_elements(std::string_view("8k\0", 3)), UsageError);
}

TEST(ParseElements, SaysWhatIsAmbiguous) {
    EXPECT_EQ(message_of<UsageError>([] { static_cast<void>(parse_elements("8KiB")); }),
              "bad number of elements '8KiB' (elements are counted, not bytes): write 8192, 2^13, "
              "8k (which is 8192) or 1e4");
    EXPECT_EQ(message_of<UsageError>([] { parse_bytes("8KB"); }),
              "bad size '8KB' (its unit may mean powers of 1000 or of 1024): write bytes such as "
              "4096, or 2^k, or a number with KiB, MiB, GiB or TiB");
}

TEST(ParseBytes, ReachesTheLargestSizes) {
    EXPECT_EQ(parse_bytes("9223372036854775807"), Bytes{most_of_64_bits});
    EXPECT_EQ(parse_bytes("8589934591GiB"), gibibytes(8589934591));
    EXPECT_EQ(parse_bytes("8589934591.999999999999999999999GiB").value > 0, true);
    EXPECT_THROW(parse_bytes("8589934592GiB"), UsageError);
}

TEST(ParseBytes, RefusesEverythingElse) {
    for (const char* text : {"",
                             " ",
                             "-1",
                             "+1",
                             "1e",
                             "1e-3",
                             "1e+3",
                             "1e19",
                             "1e30",
                             "1e99999999999999999999",
                             "2^10e3",
                             "2^63",
                             "2^64",
                             "2^70",
                             "2^1.5 KiB",
                             "9999999999GiB",
                             "1.5",
                             "1.5 B",
                             "nan",
                             "inf",
                             " 4 KiB",
                             "4  KiB",
                             "4 KiB ",
                             "4 ",
                             "4kib",
                             "4KIB",
                             "4KB",
                             "4kB",
                             "4MB",
                             "4Ki",
                             "4kk",
                             "4P",
                             "9999999999G",
                             "4\tKiB",
                             "4 KiB\n",
                             "KiB",
                             ".5 KiB",
                             "5. KiB",
                             "1.2.3 KiB",
                             "0x10",
                             "1,5 KiB",
                             "9223372036854775808",
                             "4 PiB",
                             "4 Ki B",
                             "4KiBKiB",
                             "-0"}) {
        EXPECT_THROW(parse_bytes(text), UsageError) << text;
    }
    EXPECT_THROW(parse_bytes("1." + std::string(1 << 20, '9')), UsageError);
    EXPECT_THROW(parse_bytes(std::string_view("4KiB\0", 5)), UsageError);
}

TEST(ParseBytes, SaysWhatWhyAndWhatToDoOnOneLine) {
    EXPECT_EQ(message_of<UsageError>([] { parse_bytes("4\nkib"); }),
              "bad size '4\\x0akib' (its unit is unknown): write bytes such as 4096, or 2^k, or a "
              "number with KiB, MiB, GiB or TiB");
    EXPECT_EQ(message_of<UsageError>([] { parse_count("2^64"); }),
              "bad number '2^64' (it does not fit 63 bits): write digits such as 8192, or 2^k");
}

TEST(ToString, PrintsBytesInTheLargestUnit) {
    EXPECT_EQ(to_string(Bytes{0}), "0 B");
    EXPECT_EQ(to_string(Bytes{513}), "513 B");
    EXPECT_EQ(to_string(kibibytes(1)), "1 KiB");
    EXPECT_EQ(to_string(mebibytes(2)), "2 MiB");
    EXPECT_EQ(to_string(mebibytes(1023)), "1023 MiB");
    EXPECT_EQ(to_string(mebibytes(1536)), "1.5 GiB");
    EXPECT_EQ(to_string(Bytes{1234567}), "1.18 MiB");
    EXPECT_EQ(to_string(mebibytes(1) - Bytes{1}), "1020 KiB");
    EXPECT_EQ(to_string(Bytes{1023900}), "1000 KiB");
    EXPECT_EQ(to_string(gibibytes(1) + Bytes{1}), "1 GiB");
    EXPECT_EQ(to_string(gibibytes(5000)), "4.88 TiB");
    EXPECT_EQ(to_string(gibibytes(1 << 23)), "8192 TiB");
    EXPECT_EQ(to_string(Bytes{-1536}), "-1.5 KiB");
    EXPECT_EQ(to_string(Bytes{std::numeric_limits<std::int64_t>::min()}), "-8388608 TiB");
}

TEST(ToString, PrintsBytesExactlyWhereThatIsAskedFor) {
    EXPECT_EQ(to_exact_string({0}), "0B");
    EXPECT_EQ(to_exact_string({513}), "513B");
    EXPECT_EQ(to_exact_string(kibibytes(1536)), "1536KiB");
    EXPECT_EQ(to_exact_string(mebibytes(2)), "2MiB");
    EXPECT_EQ(to_exact_string(gibibytes(2048)), "2048GiB");
}

TEST(ToString, PrintsSecondsWithThreeDigits) {
    EXPECT_EQ(to_string(Seconds{0}), "0 s");
    EXPECT_EQ(to_string(Seconds{1.234}), "1.23 s");
    EXPECT_EQ(to_string(Seconds{1.2}), "1.20 s");
    EXPECT_EQ(to_string(Seconds{12.34}), "12.3 s");
    EXPECT_EQ(to_string(Seconds{123.4}), "123 s");
    EXPECT_EQ(to_string(Seconds{12345.6}), "12346 s");
    EXPECT_EQ(to_string(Seconds{0.01234}), "12.3 ms");
    EXPECT_EQ(to_string(Seconds{0.1}), "100 ms");
    EXPECT_EQ(to_string(Seconds{45.6e-6}), "45.6 us");
    EXPECT_EQ(to_string(Seconds{7e-9}), "7.00 ns");
    EXPECT_EQ(to_string(Seconds{-0.25}), "-250 ms");
}

TEST(ToString, ChangesUnitWhereRoundingDoes) {
    EXPECT_EQ(to_string(Seconds{999.4e-6}), "999 us");
    EXPECT_EQ(to_string(Seconds{999.7e-6}), "1.00 ms");
    EXPECT_EQ(to_string(Seconds{0.99999}), "1.00 s");
    EXPECT_EQ(to_string(Seconds{9.999}), "10.0 s");
    EXPECT_EQ(to_string(Seconds{999.4}), "999 s");
    EXPECT_EQ(to_string(Seconds{999.7}), "1000 s");
    for (const double one : {1e-3, 1e-6, 1e-9}) {
        EXPECT_EQ(to_string(Seconds{one}).substr(0, 5), "1.00 ") << one;
        EXPECT_EQ(to_string(Seconds{10 * one}).substr(0, 5), "10.0 ") << one;
        EXPECT_EQ(to_string(Seconds{100 * one}).substr(0, 4), "100 ") << one;
    }
}

TEST(ToString, SurvivesOddSeconds) {
    EXPECT_EQ(to_string(Seconds{std::nan("")}), "nan s");
    EXPECT_EQ(to_string(Seconds{std::numeric_limits<double>::infinity()}), "inf s");
    EXPECT_EQ(to_string(Seconds{4e-12}), "0.00 ns");
    EXPECT_EQ(to_string(Seconds{std::numeric_limits<double>::denorm_min()}), "0.00 ns");
}

TEST(Units, AddSubtractAndScale) {
    EXPECT_EQ(mebibytes(1) + kibibytes(1) - Bytes{1}, Bytes{1049599});
    EXPECT_EQ(3 * bytes_of<double>(2), Bytes{48});
    EXPECT_DOUBLE_EQ((2.0 * Seconds{3} - Seconds{1}) / Seconds{2}, 2.5);
    EXPECT_LT(Seconds{1}, Seconds{2});
}

TEST(Clock, DoesNotRunBackwards) {
    const Seconds wall = now();
    const Seconds processor = process_cpu_time();
    double sum = 0;
    while (now() - wall < Seconds{0.005}) {
        sum += std::sqrt(now().value);
    }
    EXPECT_GT(sum, 0);
    EXPECT_GT(process_cpu_time(), processor);
}

}  // namespace
}  // namespace quartet
