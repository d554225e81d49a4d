#include "bench/flags/manual.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Manual example() {
    return {.program = "kernel",
            .summary = "compute something",
            .flags = {{.name = "--json",
                       .group = FlagGroup::output,
                       .value = "FILE",
                       .help = "write the results there"},
                      {.name = "--size",
                       .value = "LIST",
                       .help = "rows of the matrix",
                       .standard = "8192",
                       .alias = "--sizes"},
                      {.name = "--formulation",
                       .value = "LIST",
                       .help = "of native, library",
                       .standard = "native",
                       .words = {"native", "library"}},
                      {.name = "--verify", .help = "check it", .words = {"on", "off"}},
                      {.name = "--quiet", .group = FlagGroup::output, .help = "print nothing"}},
            .foreign = {"--reducers"},
            .examples = {{3, "--size 2^14", "it's .one \\ run"}}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(Help, ExplainsEachFlagOnItsLine) {
    const auto lines = lines_of(help_text(example()));
    for (const char* line :
         {"kernel: compute something",
          "usage: mpirun -n RANKS kernel [flags]; defaults are in brackets",
          "  --size, --sizes LIST      rows of the matrix [8192]",
          "  --formulation LIST        of native, library [native]",
          "  --verify on|off           check it", "  --quiet                   print nothing",
          "Not available in this build: --reducers", "  mpirun -n 3 kernel --size 2^14"}) {
        EXPECT_THAT(lines, testing::Contains(line));
    }
}

TEST(Help, HasAHeadingForEachGroupThatHasFlags) {
    const std::string help = help_text(example());
    EXPECT_LT(help.find("\nWhat to run\n  --size"), help.find("\nOutput\n  --json"));
    EXPECT_THAT(help, Not(HasSubstr("Checkpoints")));
}

TEST(Help, FitsEightyColumns) {
    Manual manual = example();
    std::string words;
    for (int count = 0; count < 100; ++count) {
        words += "word ";
    }
    manual.flags.push_back({.name = "--a-rather-long-name", .value = "AND-A-VALUE", .help = words});
    manual.foreign.assign(30, "--foreign");
    for (const std::string& line : lines_of(help_text(manual))) {
        EXPECT_LE(line.size(), 80U) << line;
        EXPECT_FALSE(line.ends_with(' ') && line.find_first_not_of(' ') == std::string::npos);
    }
}

TEST(Sections, KeepTheOrderOfTheirFlags) {
    const auto found = sections(example());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].title, "What to run");
    std::vector<std::string> names;
    std::ranges::transform(found[0].flags, std::back_inserter(names), &CommandFlag::name);
    EXPECT_THAT(names, ElementsAre("--size", "--formulation", "--verify"));
}

TEST(ManPage, NamesFlagsExamplesAndExitCodes) {
    const std::string page = man_page(example(), "1.2.3");
    EXPECT_THAT(page, testing::StartsWith(".TH KERNEL 1 \"\" \"Quartet 1.2.3\""));
    for (const char* text : {"\\fB\\-\\-size\\fR, \\fB\\-\\-sizes\\fR \\fILIST\\fR",
                             "\\fB\\-\\-verify\\fR \\fIon|off\\fR", "Default: 8192.",
                             "mpirun \\-n 3 kernel \\-\\-size 2\\(ha14", ".SH EXIT STATUS", "77"}) {
        EXPECT_THAT(page, HasSubstr(text));
    }
}

TEST(ManPage, LeavesNoTextToGroffsRequests) {
    Manual manual = example();
    manual.flags = {{.name = "--odd", .help = ".so /etc/passwd \\*x 'quoted'"}};
    const std::string page = man_page(manual, "");
    EXPECT_THAT(page, HasSubstr("\n\\&.so /etc/passwd \\e*x \\(aqquoted\\(aq.\n"));
    EXPECT_THAT(lines_of(page), Each(Not(testing::StartsWith(".so"))));
}

TEST(BashCompletion, OffersNamesAndWords) {
    const std::string script = bash_completion(example());
    EXPECT_THAT(script, AllOf(HasSubstr("_quartet_kernel() {"),
                              HasSubstr("--json --size --sizes --formulation --verify --quiet"),
                              HasSubstr("-W \"native library\""), HasSubstr("--size | --sizes)"),
                              HasSubstr("complete -F _quartet_kernel kernel\n")));
    EXPECT_THAT(script, Not(HasSubstr("--quiet)"))) << "no value follows it";
}

}  // namespace
}  // namespace quartet::bench
