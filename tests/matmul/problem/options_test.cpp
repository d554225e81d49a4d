#include "matmul/problem/options.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"

namespace quartet::matmul {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options parsed(std::vector<const char*> arguments) {
    bench::CommandLine command_line("matmul", "");
    Options options;
    add_options(command_line, options);
    arguments.insert(arguments.begin(), "matmul");
    command_line.parse(static_cast<int>(arguments.size()), arguments.data());
    return options;
}

TEST(MatmulOptions, DefaultsAreThePublishedShape) {
    const Options options = parsed({});
    EXPECT_THAT(options.sizes, ElementsAre(8192));
    EXPECT_FALSE(options.tile) << "1024, or what the GPU's memory suggests";
    EXPECT_FALSE(options.data.in_files());
}

TEST(MatmulOptions, SizesAreCounts) {
    const Options options = parsed({"--size", "2^15", "--tile", "4096", "--data", "here"});
    EXPECT_THAT(options.sizes, ElementsAre(32768));
    EXPECT_EQ(options.tile, 4096);
    EXPECT_EQ(options.data.folder, "here");
}

TEST(MatmulOptions, ProductsAreInFloat32UnlessOneOfTwoOthersIsAskedFor) {
    EXPECT_EQ(parsed({}).math, device::Math::fp32);
    EXPECT_EQ(parsed({"--math", "tf32"}).math, device::Math::tf32);
    EXPECT_EQ(parsed({"--math", "bf16x9"}).math, device::Math::bf16x9);
    for (const char* text : {"", "fp64", "TF32", "fp32,tf32"}) {
        EXPECT_THAT(message_of<UsageError>([&] {
                        parsed({"--math", text});
                    }),
                    HasSubstr("--math: "))
            << text;
    }
}

TEST(MatmulOptions, RefusesWhatIsNoSize) {
    for (const char* text : {"0", "-1", "1.5", "8KiB", "2^31", ""}) {
        EXPECT_THAT(message_of<UsageError>([&] {
                        parsed({"--size", text});
                    }),
                    HasSubstr("--size: "))
            << text;
        EXPECT_THAT(message_of<UsageError>([&] {
                        parsed({"--tile", text});
                    }),
                    HasSubstr("--tile: "))
            << text;
    }
}

TEST(MatmulOptions, ADistributionIsThreeNumbers) {
    EXPECT_FALSE(parsed({}).distribution);
    EXPECT_EQ(parsed({"--distribution", "2x3x1k"}).distribution, (LibraryDistribution{2, 3, 1024}));
    for (const char* text : {"", "2", "2x3", "2x3x64x1", "0x3x64", "2x3x0", "2x-3x64", "x3x64"}) {
        EXPECT_THAT(message_of<UsageError>([&] {
                        parsed({"--distribution", text});
                    }),
                    HasSubstr("--distribution: "))
            << text;
    }
}

TEST(MatmulOptions, TakeListsOfSizesByEitherName) {
    for (const char* flag : {"--size", "--sizes"}) {
        EXPECT_THAT(parsed({flag, "1k:2k,1e4"}).sizes, ElementsAre(1024, 2048, 10000));
    }
}

}  // namespace
}  // namespace quartet::matmul
