#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/memory_way.hpp"

namespace quartet::device {

/// The host's loops over plain memory, compiled once for each instruction set and chosen when the
/// program runs: each function does one thread's share. Pointers are aligned to their elements
/// alone, unless their comment says more.

/// Element-wise loops. Source and target are the same or apart.
struct VectorLoops {
    void (*add_floats)(const float* source, float* target, std::int64_t size);
    void (*add)(const double* source, double* target, std::int64_t size);
    void (*fill_floats)(float value, float* target, std::int64_t size);
    void (*fill)(double value, double* target, std::int64_t size);
    /// Past the caches where the target begins with a cache line.
    void (*copy)(const double* source, double* target, std::int64_t size);
    /// y += factor x, and y = x + factor y.
    void (*axpy)(double factor, const double* x, double* y, std::int64_t size);
    void (*xpay)(const double* x, double factor, double* y, std::int64_t size);
    /// Sums whose order depends on the size and the instruction set alone.
    double (*dot)(const double* x, const double* y, std::int64_t size);
};

/// One pass over memory, for probes of its rate. What a way does not have it does in another.
struct MemoryLoops {
    /// The sum of squares, by 1, 2, 4 or 8 streams, in an order of the way's.
    double (*read)(MemoryWay way, const double* x, std::int64_t size);
    /// As VectorLoops does it, by 1, 2, 4 or 8 streams.
    void (*copy)(int streams, const double* source, double* target, std::int64_t size);
    void (*add_floats)(int streams, const float* source, float* target, std::int64_t size);
    void (*axpy)(int streams, double factor, const double* x, double* y, std::int64_t size);
};

/// One stage of a SmallFft.
struct SmallFftStage {
    int radix;
    int before;              ///< product of the radices of earlier stages
    int after;               ///< of later ones
    const double* twiddles;  ///< [after][radix], re and im; null in the last stage
};

/// An FFT of up to 256 points (small_fft_plan.hpp) as the loops take it.
struct SmallFft {
    static constexpr int most_stages = 8;
    int length;
    int stages;  ///< one at least
    SmallFftStage stage[most_stages];
};

/// Where eight adjacent bins of the first tile are written.
struct TargetBlock {
    std::int64_t first_bin;
    std::int64_t offset;  ///< in doubles
};

/// The number that a lane holds of complex numbers that were loaded re im re im: reals and
/// imaginary parts are told apart within quarters of a vector, which is cheaper than in order.
constexpr int pair_order(int lane, int lanes) {
    return lane / 2 + lane % 2 * (lanes / 2);
}

/// The FFT of a tile of M = A B points, itself in four steps (host_ffts.hpp). [n lanes] is a number
/// in each lane, a strip of as many adjacent indices in pair_order(); the last strip of a range
/// ends with it, so it may repeat some of the strip before.
struct TileFft {
    SmallFft first;                 ///< A
    SmallFft second;                ///< B
    const double* middle_twiddles;  ///< [strip of b][ka][2 lanes]: w_M^(b ka), re and im
    const double* row_twiddles;     ///< [strip of c][k][2 lanes]: as in the first of B's two stages
    const TargetBlock* blocks;      ///< in the order of their bins
    std::int64_t block_count;
    bool whole_blocks;  ///< each block is eight bins of one kb, and A a multiple of eight
    bool past_caches;   ///< whether results are written past the caches
};

/// One thread's memory for a tile, aligned to 64 bytes; sizes in doubles, `lanes` by instruction
/// set.
struct TileWork {
    double* stages;    ///< 4 lanes max(A, B)
    double* scratch;   ///< [ka][strip of b, one more][2 lanes], which spreads rows over the cache
    double* halves;    ///< 2 lanes B: results that wait for the rest of their cache lines
    double* unsorted;  ///< [re or im][M + 8]: unless whole_blocks, bins before they become blocks
    double* outer_twiddles;  ///< [strip of ka][2 lanes], lanes in order: w_N^(t ka)
    double* inner_twiddles;  ///< [B][2]: w_N^(t A kb)
};

/// A rank and the number of one of its tiles.
struct TileSource {
    std::uint32_t rank;
    std::uint32_t tile;
};

/// The FFTs over T tiles, T = A B or B alone with A = 1, for the eight bins of a block.
struct RowFft {
    SmallFft first;
    SmallFft second;
    const TileSource* sources;  ///< by t
    const double* twiddles;     ///< [b][ka][2]: w_T^(b ka)
    std::int64_t columns;       ///< points of a row of the result
    bool past_caches;           ///< the result, if its rows begin with cache lines
};

/// One thread's memory for row FFTs, and the addresses of what it transforms.
struct RowWork {
    double* stages;              ///< 4 lanes max(A, B)
    double* scratch;             ///< [A][B + 1][2 lanes], unless A = 1
    const double* const* block;  ///< by rank: its tiles' blocks
    const double* const* next;   ///< those of the next call, to be prefetched
};

struct FftLoops {
    /// Steps 1 and 2: from the tile's strips of b to scratch. Prefetches a half of `next`.
    void (*tile_columns)(const TileFft& fft, const TileWork& work, std::int64_t first_strip,
                         std::int64_t end_strip, const double* tile, const double* next);
    /// Steps 3 and 4: from scratch to blocks, times the outer twiddles.
    void (*tile_rows)(const TileFft& fft, const TileWork& work, const double* next, double* blocks);
    /// The same for the only tile there is, from strips of ka to points in order.
    void (*only_tile_rows)(const TileFft& fft, const TileWork& work, std::int64_t first_strip,
                           std::int64_t end_strip, double* bins);
    /// Writes `count` of the eight bins into each row of the result; `bins` is the first.
    void (*rows)(const RowFft& fft, const RowWork& work, std::int64_t count, double* bins);
    /// Block b of `count`, times block `within` and roots[b], to target + b step.
    void (*scatter)(const double* blocks, std::int64_t count, const double* within,
                    const double* roots, double* target, std::int64_t step, bool past_caches);
    void (*finish_past_caches)();
};

/// Does `steps` steps of multiplications and additions in registers; returns their operations.
using PeakLoop = double (*)(std::int64_t steps);

/// In several forms, the fastest of which differs by processor.
struct PeakLoops {
    static constexpr int forms = 3;
    PeakLoop multiply_add_floats[forms];
    PeakLoop multiply_add[forms];  ///< float64
};

/// All loops of one instruction set.
struct Loops {
    std::string_view isa;  ///< as on the command line: "baseline", "avx2", "avx512", "neon", ...
    int lanes;             ///< doubles of a vector
    int registers;         ///< vectors that a core holds
    const VectorLoops& vectors;
    const MemoryLoops& memory;
    const FftLoops& ffts;
    const PeakLoops& peak;
};

/// The instruction sets of this build, the narrowest first: any processor of its kind has that one.
std::span<const Loops* const> compiled_loops();

/// The widest that this processor has. Local.
const Loops& best_loops();

/// Those of a kernel's own loops that the device's processor runs; for a GPU, which runs none of
/// them, the narrowest.
template <typename Table>
const Table& loops_of(std::string_view isa, std::span<const Table* const> compiled) {
    const auto found = std::ranges::find(compiled, isa, &Table::isa);
    return found == compiled.end() ? *compiled.front() : **found;
}

/// "auto", then the names of compiled_loops(), for help and errors.
std::vector<std::string> isa_choices();

/// Those of the instruction set `isa`. Throws UsageError that names the choices unless this build
/// has them, and Unavailable unless this processor has the instructions. Local.
const Loops& loops_for(std::string_view isa);

}  // namespace quartet::device
