#include "device/machine_rates.hpp"

#include <gmock/gmock.h>

#include "core/check.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::device {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* rates = R"({"rates": {
    "memory_bytes_per_second": {"value": 4e10, "uncertainty": 0.1, "source": "a"},
    "sgemm_flops_per_second": {"value": 1e12, "uncertainty": 0.1, "source": "b"},
    "fft_flops_per_second": {"value": 5e10, "uncertainty": 0.1, "source": "c"}LAUNCH}})";

std::string text_with(const std::string& more) {
    std::string text = rates;
    return text.replace(text.find("LAUNCH"), 6, more);
}

std::string problem_of(const std::string& text) {
    return message_of<UsageError>([&] { parse_machine_rates(text, "some/machine.json"); });
}

TEST(MachineRates, AreThoseOfTheFile) {
    const auto read = parse_machine_rates(
        text_with(R"(, "launch_seconds": {"value": 4e-6, "uncertainty": 0, "source": "d"})"),
        "some/fat tree.v2.json");

    EXPECT_EQ(read.name, "fat-tree.v2") << "a part of a row's name";
    EXPECT_EQ(read.memory, 4e10);
    EXPECT_EQ(read.products, 1e12);
    EXPECT_EQ(read.transforms, 5e10);
    EXPECT_EQ(read.launch.value, 4e-6);
    EXPECT_EQ(parse_machine_rates(text_with(""), "m.json").launch.value, 0) << "none: no GPU";
}

TEST(MachineRates, NameWhatIsMissingOrWrong) {
    EXPECT_THAT(problem_of("{"), HasSubstr("'some/machine.json' is not JSON"));
    EXPECT_THAT(problem_of("[]"), HasSubstr("no object 'rates'"));
    EXPECT_THAT(problem_of(R"({"rates": 3})"), HasSubstr("no object 'rates'"));
    EXPECT_THAT(problem_of(R"({"rates": {}})"), HasSubstr("'memory_bytes_per_second'"));
    for (const char* value : {"0", "-1", "1e300", "\"4\"", "null", "[]"}) {
        std::string text = text_with("");
        text.replace(text.find("4e10"), 4, value);
        EXPECT_THAT(problem_of(text),
                    AllOf(HasSubstr("'memory_bytes_per_second' without a positive value"),
                          Not(HasSubstr("\n"))))
            << value;
    }
}

TEST(MachineRates, AFileThatCannotBeReadIsWrongUsage) {
    const TemporaryFolder folder;
    EXPECT_THAT(message_of<UsageError>([&] { read_machine_rates(folder.path() / "none.json"); }),
                HasSubstr("none.json"));
}

}  // namespace
}  // namespace quartet::device
