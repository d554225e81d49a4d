#include "bench/results/formulation.hpp"

#include <gmock/gmock.h>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::HasSubstr;

TEST(Formulation, EveryNameIsParsedToTheFormulationItNames) {
    for (const Formulation formulation : all_formulations) {
        EXPECT_EQ(parse_formulation(name(formulation)), formulation);
    }
    EXPECT_EQ(name(Formulation::dataflow), "dataflow");
}

TEST(Formulation, OtherWordsAreRefusedWithTheChoices) {
    for (const char* word : {"", "nativ", "Native", "native "}) {
        EXPECT_THAT(message_of<UsageError>([&] { parse_formulation(word); }),
                    HasSubstr("native|dataflow|library"));
    }
}

}  // namespace
}  // namespace quartet::bench
