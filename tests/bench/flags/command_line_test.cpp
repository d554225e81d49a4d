#include "bench/flags/command_line.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "bench/results/version.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

using Arguments = std::vector<std::string>;

std::optional<std::string> parse(CommandLine& command_line, const Arguments& arguments) {
    std::vector<const char*> pointers{"program"};
    for (const std::string& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    return command_line.parse(static_cast<int>(pointers.size()), pointers.data());
}

CommonOptions options_of(const Arguments& arguments) {
    CommandLine command_line("program", "a program");
    parse(command_line, arguments);
    return command_line.options();
}

std::string usage_error_of(const Arguments& arguments) {
    return message_of<UsageError>([&] { options_of(arguments); });
}

auto one_line() {
    return AllOf(Not(HasSubstr("\n")), Not(HasSubstr("\r")), Not(testing::IsEmpty()));
}

TEST(CommandLine, ReadsHowToMeasure) {
    const CommonOptions options =
        options_of({"--runs", "33", "--warmup", "0", "--seed", "9223372036854775807", "--verify",
                    "off", "--limits", "off"});
    EXPECT_EQ(options.runs.count, 33);
    EXPECT_EQ(options.runs.warmup, 0);
    EXPECT_EQ(options.seed, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    EXPECT_EQ(options.verify, Switch::off);
    EXPECT_EQ(options.limits, Switch::off);
    EXPECT_EQ(options_of({"--runs", "auto"}).runs.count, std::nullopt);
    EXPECT_EQ(options_of({"--runs", "auto", "--ci", "2.5%"}).runs.interval, 0.025);
    EXPECT_EQ(options_of({"--ci", "3", "--runs", "auto"}).runs.interval, 0.03)
        << "the sign may be left out";
}

TEST(CommandLine, RefusesFlagsWithoutEffect) {
    EXPECT_THAT(usage_error_of({"--ci", "3"}),
                AllOf(HasSubstr("--ci: "), HasSubstr("--runs auto")));
    EXPECT_THAT(usage_error_of({"--ci", "5%", "--runs", "10"}), HasSubstr("--ci: "));
    CommandLine command_line("program", "");
    command_line.add_queue();
    for (const char* formulation : {"native", "native,library"}) {
        EXPECT_THAT(message_of<UsageError>([&] {
                        parse(command_line, {"--queue", "16", "--formulation", formulation});
                    }),
                    AllOf(HasSubstr("--queue: "), HasSubstr("--formulation dataflow")));
    }
}

TEST(CommandLine, ReadsWhatARankMayUse) {
    const CommonOptions options = options_of(
        {"--threads", "3", "--memory", "1.5GiB", "--chunk", "64KiB", "--pipeline", "off"});
    EXPECT_EQ(options.threads, 3);
    EXPECT_EQ(options.memory, mebibytes(1536));
    EXPECT_EQ(options.transfer.chunk, kibibytes(64));
    EXPECT_EQ(options.transfer.pipeline, comm::Pipeline::off);
    EXPECT_EQ(options_of({"--chunk", "2^20"}).transfer.chunk, mebibytes(1));
}

struct Hostile {
    const char* flag;
    std::vector<std::string> values;
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
    *out << hostile.flag;
}

class HostileValues : public testing::TestWithParam<Hostile> {};

TEST_P(HostileValues, AreUsageErrorsInOneLineThatNameTheFlag) {
    Arguments values = GetParam().values;
    for (const char* value : {"", " ", "nonsense", "8 192", "1\n2", "0x10", "--runs", "\x1b[31m"}) {
        values.emplace_back(value);
    }
    for (const std::string& value : values) {
        const std::string message = usage_error_of({std::string(GetParam().flag) + "=" + value});
        EXPECT_THAT(message, one_line()) << value;
        EXPECT_THAT(message, HasSubstr(GetParam().flag)) << value;
        EXPECT_THAT(message, Not(HasSubstr("\x1b"))) << value;
    }
}

const std::string beyond_63_bits = "99999999999999999999";

INSTANTIATE_TEST_SUITE_P(
    Flags, HostileValues,
    testing::Values(
        Hostile{"--device", {"gpu", "HOST", "host,cuda", "host "}},
        Hostile{"--formulation", {"nativ", "native,", ",native", "native,,library", ","}},
        Hostile{"--runs", {"0", "-1", "1.5", "1e3", "100001", "auto2", beyond_63_bits}},
        Hostile{"--ci", {"0", "0%", "100%", "-1%", "5%%", "nan", "inf", "1e999", "%"}},
        Hostile{"--warmup", {"-1", "1001", "1.5", beyond_63_bits}},
        Hostile{"--seed", {"-1", "9223372036854775808", "1.0"}},
        Hostile{"--verify", {"yes", "1", "ON", "true"}}, Hostile{"--limits", {"yes", "0", "Off"}},
        Hostile{"--threads", {"0", "-1", "4097", beyond_63_bits}},
        Hostile{"--memory", {"-1", "1KB", "1 XiB", "1.5", "MiB", beyond_63_bits}},
        Hostile{"--chunk", {"1023", "512B", "2GiB", "0", "-1KiB"}},
        Hostile{"--pipeline", {"maybe", "1"}}, Hostile{"--progress", {"yes", "automatic"}}),
    [](const auto& hostile) { return std::string(hostile.param.flag).substr(2); });

TEST(CommandLine, RefusesWhatItDoesNotKnowInOneLine) {
    for (const Arguments& arguments : std::vector<Arguments>{{"--runz", "3"},
                                                             {"8192"},
                                                             {"-r", "3"},
                                                             {"--runs"},
                                                             {"--json"},
                                                             {"--run", "3"},
                                                             {"--", "8192"},
                                                             {"--force=maybe"},
                                                             {"--list", "3"},
                                                             {"--no\nsuch\tflag"},
                                                             {"\x1b[31mred"}}) {
        EXPECT_THAT(usage_error_of(arguments), AllOf(one_line(), Not(HasSubstr("\x1b"))))
            << testing::PrintToString(arguments);
    }
}

TEST(CommandLine, SaysWhichFlagsThisBuildDoesNotHave) {
    for (const std::string flag : {"--math", "--reducers", "--queue"}) {
        EXPECT_EQ(message_of<Unavailable>([&] {
                      options_of({flag, "2"});
                  }),
                  "not available in this build: " + flag);
        EXPECT_EQ(message_of<Unavailable>([&] { options_of({flag + "=dynamic"}); }),
                  "not available in this build: " + flag);
    }
}

TEST(CommandLine, SuggestsTheFlagOrWordThatWasMeant) {
    for (const auto& [given, meant] : std::vector<std::pair<Arguments, std::string>>{
             {{"--runz", "3"}, "'--runz': did you mean --runs?"},
             {{"--sizes=3"}, "'--sizes': see --help"},
             {{"--dryrun"}, "did you mean --dry-run?"},
             {{"--DEVICE", "host"}, "did you mean --device?"},
             {{"-runs", "3"}, "did you mean --runs?"},
             {{"--form", "native"}, "did you mean --formulation?"},
             {{"--frobnicate"}, "no flag is called '--frobnicate': see --help"},
             {{"--device", "hots"}, "did you mean host?"},
             {{"--formulation", "native,libary"}, "did you mean library?"},
             {{"--verify", "of"}, "did you mean off?"},
             {{"8192"}, "unexpected argument '8192'"},
             {{"--quiet", "--runs"}, "--runs: its value is missing"}}) {
        EXPECT_THAT(usage_error_of(given), AllOf(one_line(), HasSubstr(meant)));
    }
}

TEST(CommandLine, TakesAFlagByItsOtherName) {
    CommandLine command_line("program", "");
    std::string size;
    command_line.add({.name = "--size", .help = "", .standard = "8", .alias = "--sizes"},
                     [&](const std::string& text) { size = text; });
    parse(command_line, {"--size", "1", "--sizes", "2"});
    EXPECT_EQ(size, "2") << "the last one counts";
    EXPECT_THAT(command_line.resolved(), testing::Contains(Pair("--size", "2")));
    EXPECT_THAT(message_of<UsageError>([&] {
                    parse(command_line, {"--sizs", "2"});
                }),
                HasSubstr("did you mean --size"));
}

TEST(CommandLine, ChecksTheFilter) {
    EXPECT_EQ(options_of({}).filter, std::nullopt);
    EXPECT_EQ(options_of({"--filter", "n:(8|16)/"}).filter, "n:(8|16)/");
    EXPECT_THAT(usage_error_of({"--filter", "("}), AllOf(one_line(), HasSubstr("--filter: '('")));
}

TEST(CommandLine, HelpExplainsEachFlagUnderItsHeading) {
    CommandLine command_line("program", "");
    const auto ignore = [](const std::string&) {};
    command_line.add({.name = "--size",
                      .value = "LIST",
                      .help = "rows of the matrix",
                      .standard = "8192",
                      .alias = "--sizes"},
                     ignore);
    const std::string help = parse(command_line, {"--help"}).value();
    EXPECT_THAT(help, HasSubstr("\nWhat to run:\n"));
    EXPECT_THAT(help, HasSubstr("  --size,--sizes LIST         rows of the matrix [8192]\n"));
    EXPECT_THAT(help, HasSubstr("  --verify on|off             check each result [on]\n"));
    EXPECT_THAT(help, Not(HasSubstr("--math"))) << "this program lacks it";
    EXPECT_LT(help.find("\nWhat to run:\n"), help.find("\nOutput:\n  --json FILE"));
    EXPECT_THAT(help, Not(HasSubstr("Checkpoints")));
}

TEST(CommandLine, HelpFitsEightyColumns) {
    CommandLine command_line("program", "what it does");
    std::string words;
    for (int count = 0; count < 100; ++count) {
        words += "word ";
    }
    command_line.add({.name = "--a-rather-long-name", .value = "AND-A-VALUE", .help = words},
                     [](const std::string&) {});
    std::istringstream help(parse(command_line, {"--help"}).value());
    for (std::string line; std::getline(help, line);) {
        EXPECT_LE(line.size(), 80U) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
    }
}

TEST(CommandLine, VersionIsOneLine) {
    CommandLine command_line("program", "");
    EXPECT_EQ(parse(command_line, {"--version"}), std::string(version_line()) + "\n");
}

TEST(CommandLine, AProgramsOwnFlagsAreReadAndNamedInErrors) {
    CommandLine command_line("program", "");
    std::int64_t size = 0;
    Switch pairs = Switch::off;
    command_line.add({.name = "--size", .help = ""},
                     [&](const std::string& text) { size = parse_count(text, 1, 100); });
    command_line.add({.name = "--pairs", .help = ""}, pairs);

    EXPECT_EQ(parse(command_line, {"--size", "2^4", "--pairs"}), std::nullopt);
    EXPECT_EQ(size, 16);
    EXPECT_EQ(pairs, Switch::on);
    EXPECT_THAT(message_of<UsageError>([&] {
                    parse(command_line, {"--size", "101"});
                }),
                AllOf(HasSubstr("--size"), HasSubstr("1 to 100")));
}

TEST(CommandLine, ResolvesEveryFlagForTheRecord) {
    CommandLine command_line("program", "");
    parse(command_line, {"--runs", "3", "--runs", "4", "--force", "--memory", "1GiB"});
    const auto resolved = command_line.resolved();
    EXPECT_THAT(resolved, testing::IsSupersetOf({Pair("--runs", "4"), Pair("--force", "on"),
                                                 Pair("--memory", "1GiB"), Pair("--ci", "5%"),
                                                 Pair("--transport", "auto")}));
    for (const char* text_only : {"--help", "--version"}) {
        EXPECT_TRUE(std::ranges::none_of(
            resolved, [&](const auto& flag) { return flag.first == text_only; }));
    }
}

class ConfigFile : public testing::Test {
  protected:
    Arguments config(const std::string& text) const {
        write_text(folder / "flags.toml", text);
        return {"--config", folder / "flags.toml"};
    }

    TemporaryFolder folder;
};

TEST_F(ConfigFile, SetsFlagsUnlessTheCommandLineDoes) {
    Arguments arguments = config(
        "runs = 7\nwarmup = 3\nverify = \"off\"\nforce = true\n# remark\nlist = off\n"
        "transport = mpi,shm\njson = \"a b.json\"\n");
    arguments.insert(arguments.end(), {"--runs", "8"});
    const CommonOptions options = options_of(arguments);
    EXPECT_EQ(options.runs.count, 8);
    EXPECT_EQ(options.runs.warmup, 3);
    EXPECT_EQ(options.verify, Switch::off);
    EXPECT_EQ(options.force, Switch::on);
    EXPECT_EQ(options.list, Switch::off);
    EXPECT_THAT(options.transports, ElementsAre("mpi", "shm"));
    EXPECT_EQ(options.json, "a b.json");
}

TEST_F(ConfigFile, IsRefusedInOneLine) {
    EXPECT_THAT(usage_error_of(config("runs = 7\nrunz = 8\n")),
                AllOf(one_line(), HasSubstr("--config: no flag is called"),
                      HasSubstr("did you mean --runs?")));
    EXPECT_THAT(usage_error_of(config("runs = many\n")), AllOf(one_line(), HasSubstr("--runs")));
    EXPECT_THAT(message_of<Unavailable>([&] { options_of(config("queue = 3\n")); }),
                "not available in this build: --queue");
    for (const char* text : {"[section]\nruns = 7\n", "force = maybe\n", "runs = \"7\n"}) {
        EXPECT_THAT(usage_error_of(config(text)), one_line()) << text;
    }
    EXPECT_THAT(usage_error_of({"--config", folder / "missing.toml"}),
                AllOf(one_line(), HasSubstr("missing.toml")));
    EXPECT_THAT(usage_error_of({"--config", folder.path()}), one_line());
}

}  // namespace
}  // namespace quartet::bench
