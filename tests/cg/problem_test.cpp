#include <gmock/gmock.h>

#include "cg/problem.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Options options_of(std::vector<const char*> arguments) {
    bench::CommandLine command_line("cg", "");
    Options options;
    add_options(command_line, options);
    arguments.insert(arguments.begin(), "cg");
    command_line.parse(static_cast<int>(arguments.size()), arguments.data());
    return options;
}

std::string complaint(const std::vector<const char*>& arguments,
                      bench::Switch verify = bench::Switch::on) {
    bench::CommonOptions common;
    common.verify = verify;
    return message_of<UsageError>([&] { require_consistent(options_of(arguments), common); });
}

TEST(CgOptions, AreReadFromTheCommandLine) {
    const Options options = options_of({"--size", "1k:2k,1e4", "--iterations", "7", "--problem",
                                        "random", "--storage", "symmetric,full"});
    EXPECT_THAT(options.sizes, ElementsAre(1024, 2048, 10000));
    EXPECT_EQ(options.iterations, 7);
    EXPECT_EQ(options.problem, "random");
    EXPECT_THAT(options.storages, ElementsAre(Storage::symmetric, Storage::full));
}

TEST(CgOptions, RefuseHostileValuesInOneLineThatNamesTheFlag) {
    for (const char* flag : {"--size=0",          "--size=-1",
                             "--size=1.5",        "--size=",
                             "--size=16777217",   "--size=2^64",
                             "--iterations=0",    "--iterations=-3",
                             "--iterations=many", "--iterations=16777217",
                             "--problem=",        "--problem=poisson",
                             "--problem=a.npy",   "--problem=laplace,random",
                             "--storage=",        "--storage=half",
                             "--storage=full,",   "--storage=full,half",
                             "--checkpoint=",     "--every=0",
                             "--every=often"}) {
        const std::string name = std::string(flag).substr(0, std::string(flag).find('='));
        EXPECT_THAT(message_of<UsageError>([&] { options_of({flag}); }),
                    AllOf(HasSubstr(name), Not(HasSubstr("\n"))))
            << flag;
    }
}

TEST(CgOptions, ReadCheckpointFlags) {
    EXPECT_FALSE(options_of({}).checkpoint.wanted());
    const CheckpointOptions begun =
        options_of({"--checkpoint", "folder", "--every", "7", "--restart"}).checkpoint;
    EXPECT_EQ(begun.folder, "folder");
    EXPECT_EQ(begun.every, 7);
    EXPECT_EQ(begun.restart, bench::Switch::on);
    EXPECT_THAT(complaint({"--every", "100"}), AllOf(HasSubstr("--every"), HasSubstr("DIR")));
    EXPECT_THAT(complaint({"--restart"}), AllOf(HasSubstr("--restart"), HasSubstr("DIR")));
    EXPECT_NO_THROW(require_consistent(
        options_of({"--checkpoint", "folder", "--every", "7", "--restart"}), {}));
}

TEST(CgOptions, MustNotContradictEachOther) {
    EXPECT_THAT(complaint({"--keep"}), HasSubstr("--data"));
    EXPECT_THAT(complaint({"--generate"}), HasSubstr("--data"));
    EXPECT_THAT(complaint({"--data", "folder", "--cache", "drop"}), HasSubstr("--cache"));
    EXPECT_THAT(complaint({"--data", "folder", "--keep"}, bench::Switch::off),
                HasSubstr("--verify on"));
    EXPECT_NO_THROW(require_consistent(options_of({"--data", "folder", "--keep"}), {}));
}

}  // namespace
}  // namespace quartet::cg
