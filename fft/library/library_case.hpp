#pragma once

#include <memory>

#include "bench/program/session.hpp"
#include "fft/options.hpp"
#include "fft/problem.hpp"
#include "fft/transform_case.hpp"

namespace quartet::fft {

/// The library formulation: FFTW's distributed one-dimensional transform. Its input is natural, by
/// blocks of its own choice; its output natural (`natural`) or in the order that its algorithm ends
/// with (`transposed`, FFTW_MPI_SCRAMBLED_OUT), which is found out by transforming an impulse.
/// Where `options` name a file of wisdom, it is written once something was measured; it was read
/// before (read_wisdom). Collective. Throws Unavailable where FFTW-MPI is not in this build or has
/// no plan, Failure where the file cannot be written.
std::unique_ptr<TransformCase> make_library_case(bench::Session& session, const Problem& problem,
                                                 const Options& options);

/// What it needs on a rank.
Bytes library_memory(const Problem& problem, bench::Session& session);

}  // namespace quartet::fft
