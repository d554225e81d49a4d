#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/checkpoint/set_up.hpp"
#include "bench/session/case.hpp"
#include "cg/problem/options.hpp"

namespace quartet::cg {

/// A file of a checkpoint.
struct SavedFile {
    std::string name;
    std::int64_t first_row = 0;  ///< of what it holds
    std::int64_t rows = 0;
    std::uint64_t checksum = 0;  ///< of all its bytes
};

/// The job that a checkpoint belongs to, and how far it was; "manifest.json" beside the vectors.
struct CheckpointManifest {
    static constexpr int schema_version = 1;
    static constexpr std::string_view file = "manifest.json";

    /// To go on, all of these must be the same.
    std::string system;  ///< "laplace", "random", "file"
    std::int64_t size = 0;
    std::uint64_t seed = 0;
    Algorithm algorithm = Algorithm::classic;

    /// These may differ, but then the bits may differ, too: "ranks": "4".
    bench::SetUp set_up;

    /// The progress of the iterations (IterationState).
    std::int64_t iterations = 0;  ///< that were asked for
    std::int64_t done = 0;
    double residual_dot = 0;
    double alpha = 0;  ///< "step" in the file

    int segments = 0;  ///< processes that have worked on it, one after another
    bench::EarlierTime spent;

    SavedFile history;               ///< r.r before each of the iterations that are done
    std::vector<SavedFile> vectors;  ///< by rank
};

/// As JSON, with a checksum of its own; numbers that must keep their bits are hexadecimal.
std::string to_text(const CheckpointManifest& manifest);

/// Throws Failure that says what is wrong with the text, in words that follow its file's name:
/// "is not as it was written (its checksum differs)".
CheckpointManifest read_checkpoint_manifest(const std::string& text);

/// Throws UsageError that names `folder` and the first thing in which `found` is of another problem
/// than `wanted`, or is past its iterations.
void require_same_problem(const CheckpointManifest& found, const CheckpointManifest& wanted,
                          const std::string& folder);

}  // namespace quartet::cg
