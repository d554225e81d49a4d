#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/session/arena.hpp"
#include "bench/session/session.hpp"
#include "device/four_step_fft.hpp"
#include "fft/problem/problem.hpp"

namespace quartet::fft {

/// How the native formulation transforms, and on a GPU the library.
enum class Algorithm {
    single_rank,           ///< one rank's SingleRankFft, the result beside the input
    single_rank_in_place,  ///< the same over the input, where a GPU has no room for both
    transposed,            ///< column FFTs, exchange, row FFTs
    natural,               ///< the same, a second exchange, and a Transpose
    library,               ///< one call of the device's own one-dimensional transform
};

/// How the native formulation transforms a problem on one rank.
struct NativePlan {
    std::string transport;
    Problem problem;
    bench::DataOptions data;
    device::FourStepFft shape;
    Algorithm algorithm = Algorithm::transposed;

    [[nodiscard]] bool in_place() const { return algorithm == Algorithm::single_rank_in_place; }
    /// Whether it consists of column FFTs, exchanges and row FFTs.
    [[nodiscard]] bool has_four_steps() const {
        return algorithm == Algorithm::transposed || algorithm == Algorithm::natural;
    }
    /// Points of this rank's part of the result.
    [[nodiscard]] std::int64_t result_points() const;
};

/// Memory of the plan on this rank: its buffers, and what FFT plans, exchanges, check and limit
/// allocate. Local.
bench::Arena memory_of(bench::Session& session, const NativePlan& plan);

/// The plan of a problem on this rank. Local.
NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data);

/// The library formulation on one rank's GPU: the library's own transform of all points, the result
/// beside the input. Local. Its algorithm is another one where there is no room for that.
NativePlan plan_device_library(bench::Session& session, const std::string& transport,
                               const Problem& problem);

/// Whether this rank's device transforms all points as a single tile, and has room for the result
/// beside the input. Local.
bool transforms_one_tile(bench::Session& session, const Problem& problem);

/// The case of that plan on this rank. Collective. Throws Unavailable; Failure where files are not
/// what the manifest says.
std::unique_ptr<TransformCase> make_native_case(bench::Session& session, const NativePlan& plan);

}  // namespace quartet::fft
