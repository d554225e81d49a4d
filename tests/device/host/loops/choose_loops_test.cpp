#include <gtest/gtest.h>

#include "core/check.hpp"
#include "device/host/loops/loops.hpp"
#include "device/host/loops/processor.hpp"

namespace quartet::device {
namespace {

TEST(ChooseLoops, TakesTheWidestThatTheProcessorHas) {
    EXPECT_TRUE(processor_has(compiled_loops().front()->isa)) << "every processor of its kind";
    EXPECT_TRUE(processor_has(best_loops().isa));
    EXPECT_EQ(&loops_for("auto"), &best_loops());
    for (const Loops* loops : compiled_loops()) {
        if (processor_has(loops->isa)) {
            EXPECT_LE(loops->lanes, best_loops().lanes);
            EXPECT_EQ(&loops_for(loops->isa), loops);
        } else {
            EXPECT_THROW(loops_for(loops->isa), Unavailable) << loops->isa;
        }
    }
}

}  // namespace
}  // namespace quartet::device
