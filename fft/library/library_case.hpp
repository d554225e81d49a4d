#pragma once

#include <memory>

#include "bench/session/arena.hpp"
#include "fft/problem/problem.hpp"

namespace quartet::fft {

/// The library formulation: FFTW's distributed one-dimensional transform. FFTW chooses the blocks
/// of its input, which is in natural order. Its output is in natural order (`natural`) or in the
/// order that its algorithm ends with (`transposed`, FFTW_MPI_SCRAMBLED_OUT), which is found by
/// transforming an impulse; a transform whose bins are in none of its orders fails each check.
/// Collective. Throws Unavailable where FFTW-MPI is not in this build or has no plan.
std::unique_ptr<TransformCase> make_library_case(bench::Session& session, const Problem& problem,
                                                 const Options& options);

/// Memory that it allocates on this rank. Collective.
bench::Arena library_memory(bench::Session& session, const Problem& problem,
                            const Options& options);

}  // namespace quartet::fft
