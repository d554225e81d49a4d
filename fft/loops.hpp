#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace quartet::fft {

/// Pointers of the loops below are aligned to their elements alone, unless their comment says more.

/// One stage of a SmallFft.
struct SmallFftStage {
    int radix;
    int before;              ///< product of the radices of earlier stages
    int after;               ///< of later ones
    const double* twiddles;  ///< [after][radix], re and im; null in the last stage
};

/// An FFT of up to 256 points (SmallFftPlan) as the loops take it.
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

/// Which of the complex numbers in memory, re im re im, a lane holds once they are loaded: real and
/// imaginary parts are separated within pairs of lanes, which is cheaper than keeping the order.
constexpr int pair_order(int lane, int lanes) {
    return lane / 2 + lane % 2 * (lanes / 2);
}

/// The FFT of a tile of M = A B points, itself in four steps (host_fft.hpp). A strip is as many
/// adjacent indices as a vector has lanes, one in each lane, in pair_order(). The last strip of a
/// range ends where the range ends, so it may repeat indices of the strip before.
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
    const double* const* next;   ///< the blocks of the next call, to be prefetched
};

/// The host's loops of one instruction set (*.isa.cpp); each function does one thread's share.
struct Loops {
    std::string_view isa;
    int lanes;      ///< doubles of a vector
    int registers;  ///< vectors that a core holds
    /// Steps 1 and 2: from the tile's strips of b to scratch. Prefetches a half of `next`.
    void (*tile_columns)(const TileFft& fft, const TileWork& work, std::int64_t first_strip,
                         std::int64_t end_strip, const double* tile, const double* next);
    /// Steps 3 and 4: from scratch to blocks, times the outer twiddles.
    void (*tile_rows)(const TileFft& fft, const TileWork& work, const double* next, double* blocks);
    /// Step 3 for the only tile there is: from strips of ka to points in order, without twiddles.
    void (*only_tile_rows)(const TileFft& fft, const TileWork& work, std::int64_t first_strip,
                           std::int64_t end_strip, double* bins);
    /// Writes `count` of the eight bins into each row of the result; `bins` is the first.
    void (*rows)(const RowFft& fft, const RowWork& work, std::int64_t count, double* bins);
    /// Writes block b, for each b below `count`, times block `within` and roots[b], to target + b
    /// step.
    void (*scatter)(const double* blocks, std::int64_t count, const double* within,
                    const double* roots, double* target, std::int64_t step, bool past_caches);
    void (*finish_past_caches)();
};

/// The instruction sets of this build, the narrowest first. CMake writes the definition.
std::span<const Loops* const> compiled_loops();

}  // namespace quartet::fft
