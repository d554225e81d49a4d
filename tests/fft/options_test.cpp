#include "fft/problem/problem.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"

namespace quartet::fft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options parsed(std::vector<const char*> arguments) {
    bench::CommandLine command_line("fft", "");
    Options options;
    add_options(command_line, options);
    arguments.insert(arguments.begin(), "fft");
    command_line.parse(static_cast<int>(arguments.size()), arguments.data());
    return options;
}

TEST(FftOptions, HaveTheDefaultsOfTheContract) {
    const Options options = parsed({});
    EXPECT_THAT(options.sizes, ElementsAre(1 << 24));
    EXPECT_FALSE(options.tiles.has_value());
    EXPECT_EQ(options.order, ResultOrder::transposed);
    EXPECT_EQ(options.planning, Planning::estimate);
    EXPECT_FALSE(options.data.in_files());
}

TEST(FftOptions, ReadsTheFlags) {
    const Options options = parsed({"--size", "2^30", "--tiles", "128", "--order", "natural",
                                    "--plan", "measure", "--data", "here", "--keep"});
    EXPECT_THAT(options.sizes, ElementsAre(1 << 30));
    EXPECT_EQ(options.tiles, 128);
    EXPECT_EQ(options.order, ResultOrder::natural);
    EXPECT_EQ(options.planning, Planning::measure);
    EXPECT_EQ(options.data.folder, "here");
    EXPECT_EQ(options.data.keep, bench::Switch::on);
    EXPECT_THAT(parsed({"--size", "44100"}).sizes, ElementsAre(44100));
}

TEST(FftOptions, RefusesByNameWhatIsOutOfRange) {
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--size", "0"}); }), HasSubstr("--size"));
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--size", "2^45"}); }), HasSubstr("--size"));
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--size", "12x"}); }), HasSubstr("--size"));
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--tiles", "-3"}); }), HasSubstr("--tiles"));
    EXPECT_THAT(message_of<UsageError>([] {
                    parsed({"--order", "bit-reversed"});
                }),
                HasSubstr("transposed|natural"));
    EXPECT_THAT(message_of<UsageError>([] {
                    parsed({"--plan", "exhaustive"});
                }),
                HasSubstr("estimate|measure|patient"));
}

TEST(FftOptions, TakeListsOfSizesByEitherName) {
    for (const char* flag : {"--size", "--sizes"}) {
        EXPECT_THAT(parsed({flag, "1k:2k,1e4"}).sizes, ElementsAre(1024, 2048, 10000));
    }
}

}  // namespace
}  // namespace quartet::fft
