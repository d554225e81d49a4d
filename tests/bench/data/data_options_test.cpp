#include "bench/data/data_options.hpp"

#include <gmock/gmock.h>

#include <array>

#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename... Arguments>
DataOptions parsed(const Arguments&... arguments) {
    CommandLine command_line("program", "");
    DataOptions options;
    add_data_options(command_line, options);
    const std::array argv{"program", arguments...};
    command_line.parse(static_cast<int>(argv.size()), argv.data());
    return options;
}

TEST(DataOptions, RefuseFlagsThatMeanNothingInMemory) {
    EXPECT_NO_THROW(require_consistent(parsed()));
    EXPECT_NO_THROW(
        require_consistent(parsed("--data", "tiles", "--generate", "--keep", "--cache", "direct")));
    for (const auto& options :
         {parsed("--generate"), parsed("--keep"), parsed("--cache", "drop")}) {
        EXPECT_THAT(message_of<UsageError>([&] { require_consistent(options); }),
                    AllOf(HasSubstr("all data is in memory"), HasSubstr("add --data DIR")));
    }
}

TEST(DataOptions, RefuseSeveralSizesInOneFolder) {
    EXPECT_NO_THROW(require_consistent(parsed(), 2));
    EXPECT_NO_THROW(require_consistent(parsed("--data", "tiles"), 1));
    EXPECT_THAT(message_of<UsageError>([] { require_consistent(parsed("--data", "tiles"), 2); }),
                AllOf(HasSubstr("--data"), HasSubstr("one size")));
}

}  // namespace
}  // namespace quartet::bench
