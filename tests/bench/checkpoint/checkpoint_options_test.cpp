#include "bench/checkpoint/checkpoint_options.hpp"

#include <gtest/gtest.h>

#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

TEST(CheckpointOptions, RefusesAFormulationThatHasNone) {
    const CheckpointKind kind{.units = "tiles",
                              .help = "",
                              .prefix = "tile",
                              .oldest = Restart::latest,
                              .formulations = {Formulation::native, Formulation::dataflow},
                              .why_no_others = "it is one call"};
    CheckpointOptions options;
    const auto require = [&](Formulation formulation) {
        require_formulation(options, kind, {formulation, "host", "mpi"});
    };
    EXPECT_NO_THROW(require(Formulation::library)) << "there are no checkpoints";
    options.folder = "kept";
    EXPECT_NO_THROW(require(Formulation::dataflow));
    EXPECT_EQ(message_of<UsageError>([&] { require(Formulation::library); }),
              "--checkpoint: formulation library has none (it is one call): ask for --formulation "
              "native or dataflow alone");
}

}  // namespace
}  // namespace quartet::bench
