#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/fft_factory.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::device {

/// What the host's transforms work with.
struct HostFftSettings {
    int threads = 1;  ///< of OpenMP
    const Loops& loops;
    Bytes caches;  ///< what a rank may fill: what is larger is written past them
};

/// Transforms of the host: FFTW's, and our own steps of a split one.
std::unique_ptr<FftFactory> make_host_fft_factory(const HostFftSettings& settings);

/// A plan by FFTW. The batch is divided among `threads` OpenMP threads; one transform is done by
/// one thread. Main thread only, since FFTW's planner is not thread-safe; executing it is. Throws
/// Failure for a length below 1 or a negative batch.
std::unique_ptr<FftPlan> plan_host_fft(const FftShape& shape, int threads);

/// FFTW's version and instruction sets, and whether it lacks those of this processor.
std::string host_fft_description();

/// Whether FFTW has no code for AVX2, by its own words (fftw_version), although a processor whose
/// widest loops are of `isa` (best_loops()) has it: some systems package it so.
bool lacks_avx2(std::string_view fftw, std::string_view isa);

/// Whether a rank's points, parts and bins together exceed the caches.
bool exceeds(const FourStepFft& shape, Bytes caches);

/// Column FFTs with adjacent columns of a tile in the lanes of a vector; each tile is itself a
/// four-step FFT of M = A B points, a matrix [A][B]. A strip of columns is transformed at a time
/// (contiguous loads), multiplied by w_M^(b ka), and stored in the second-level cache. Then as many
/// rows as there are lanes are transformed, first with adjacent b in the lanes; the last stage
/// transposes, so that they hold adjacent ka. The result is adjacent bins k1 = ka + A kb: a SIMD
/// block or a part of one, multiplied by w_N^(t k1) and written to its part. Memory is read once
/// and written once.
///
/// Null unless M = A B with both factors in 8 to 256 and no prime factor above 7.
std::unique_ptr<ColumnFfts> plan_simd_column_ffts(const FourStepFft& shape,
                                                  const HostFftSettings& settings);
/// The memory it takes beside its views; nothing if the plan would be null.
std::optional<Bytes> simd_column_ffts_memory(const FourStepFft& shape,
                                             const HostFftSettings& settings);

/// The same steps as the whole transform of one rank with a single tile: the points are in order
/// after them. Null unless the shape is such a one and has column FFTs.
std::unique_ptr<SingleRankFft> plan_only_tile_fft(const FourStepFft& shape,
                                                  const HostFftSettings& settings);
std::optional<Bytes> only_tile_fft_memory(const FourStepFft& shape,
                                          const HostFftSettings& settings);

/// Row FFTs with the k1 of a SIMD block in the lanes, a part of them at a time where vectors are
/// narrower. Up to 256 tiles are one small
/// transform, which reads the blocks where the exchange has left them and writes the result. More
/// tiles are T = A B, two small transforms with a scratch in the second-level cache between. The
/// next row's blocks are prefetched into that cache.
///
/// Null unless T, or both factors of T = A B, are at most 256 and have no prime factor above 7.
std::unique_ptr<RowFfts> plan_simd_row_ffts(const FourStepFft& shape,
                                            const HostFftSettings& settings);
/// The memory it takes beside its views; nothing if the plan would be null.
std::optional<Bytes> simd_row_ffts_memory(const FourStepFft& shape,
                                          const HostFftSettings& settings);

/// Column and row FFTs for any size, by FFTW and plain loops: for the sizes without a SIMD plan
/// (prime factors above 7, very short or very long tiles). The column FFTs keep a copy of the
/// rank's points, the row FFTs eight rows a thread.
std::unique_ptr<ColumnFfts> plan_scalar_column_ffts(const FourStepFft& shape, int threads);
std::unique_ptr<RowFfts> plan_scalar_row_ffts(const FourStepFft& shape, int threads);
/// The memory they take beside their views. FFTW may take as much again for awkward lengths.
Bytes scalar_column_ffts_memory(const FourStepFft& shape);
Bytes scalar_row_ffts_memory(const FourStepFft& shape, int threads);

}  // namespace quartet::device
