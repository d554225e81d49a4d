#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fft/four_step.hpp"
#include "fft/loops.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

/// The settings of the host's transforms.
struct HostFftSettings {
    int threads = 1;  ///< of OpenMP
    const Loops& loops;
    Bytes caches;  ///< a rank's share of the caches; larger results are written past them
};

/// The settings for a host's device.
HostFftSettings host_fft_settings(const device::Device& device);

/// What the vectors of a SmallFft hold: a point of each of many transforms, or, before the last
/// stage, adjacent points of one (Loops: rows of a tile), whose results may go far apart.
enum class Lanes { transforms, points, points_to_blocks };

/// The stages of an FFT of up to 256 points, for the loops of any instruction set.
class SmallFftPlan {
  public:
    static constexpr int longest = 256;

    /// Whether there is a plan: 1 <= length <= longest, without a prime factor above 7.
    [[nodiscard]] static bool supports(std::int64_t length);

    /// The cheapest stages on a core with so many vector registers; with points in the lanes, if
    /// the length has such, at most two, the last of which fills the lanes. Throws Failure unless
    /// supported.
    SmallFftPlan(std::int64_t length, int registers, Lanes lanes = Lanes::transforms);
    SmallFftPlan(SmallFftPlan&&) = default;

    /// Whether adjacent points are in the lanes.
    [[nodiscard]] bool has_points_in_lanes() const { return has_points_in_lanes_; }
    /// Borrows the plan's tables, which stay where they are when the plan moves.
    [[nodiscard]] const SmallFft& fft() const { return fft_; }

  private:
    SmallFft fft_{};
    bool has_points_in_lanes_ = false;
    std::vector<std::vector<double>> twiddles_;  ///< by stage
};

/// A length as a product of two that a SmallFftPlan does, the first over strided points.
struct TwoLevels {
    std::int64_t first = 1;
    std::int64_t second = 1;
    Lanes lanes_of_second = Lanes::transforms;
};

/// The cheapest two factors, both at least `least`; a `first` that is no multiple of `whole` costs
/// much more. `second` says what the lanes hold in the second transform. Nothing if there are none.
std::optional<TwoLevels> two_levels(std::int64_t length, std::int64_t least, std::int64_t whole,
                                    int registers, Lanes second = Lanes::transforms);

/// The host's transforms: by our own loops where a size has no prime factor above 7 and no factor
/// is too long for them, else by FFTW.
///
/// Column FFTs have adjacent columns of a tile in the lanes of a vector; each tile is itself a
/// four-step FFT of M = A B points, a matrix [A][B], with both factors in 8 to 256. A strip of
/// columns is transformed at a time (contiguous loads), multiplied by w_M^(b ka), and stored in the
/// second-level cache. Then as many rows as there are lanes are transformed, first with adjacent b
/// in the lanes; the last stage transposes, so that they hold adjacent ka. The result is adjacent
/// bins k1 = ka + A kb: a SIMD block or a part of one, multiplied by w_N^(t k1) and written to its
/// part. Memory is read once and written once. The only tile of the only rank is transformed by the
/// same steps, which leave its points in order.
///
/// Row FFTs have the k1 of a SIMD block in the lanes, a part of them at a time where vectors are
/// narrower. Up to 256 tiles are one small transform, which reads the blocks where the exchange has
/// left them and writes the result. More tiles are T = A B with both factors in 2 to 256, two small
/// transforms with a scratch in the second-level cache between. The next row's blocks are
/// prefetched into that cache.
std::unique_ptr<FftFactory> make_host_ffts(const HostFftSettings& settings);

/// Steps 2 and 3 for one rank that receives the tiles one by one. Each tile comes as the blocks of
/// FourStepFft{1, M, 1, 0}: transformed, without twiddles.
class TileScatter {
  public:
    /// `shape` has one rank. Throws Failure for several.
    TileScatter(device::Arena& arena, const FourStepFft& shape, const HostFftSettings& settings);

    /// Multiplies tile `tile` by its twiddles and copies its blocks to where RowFfts reads them in
    /// `parts`, parts_size() doubles. Both views are aligned to 64 bytes. They and this object must
    /// live until the work is synchronised.
    void run(std::int64_t tile, device::View<const double> blocks, device::View<double> parts,
             device::Stream& stream) const;

  private:
    void scatter(std::int64_t tile, const Range& range, const double* from, double* to) const;

    FourStepFft shape_;
    int threads_;
    const Loops& loops_;
    bool past_caches_;       ///< the parts do not stay in the caches until they are read
    RootsOfUnity twiddles_;  ///< powers of w_N
};

/// Enqueues work(share, thread) for each of the threads, which share `count` pieces of work.
template <typename Work>
void enqueue_shares(device::Stream& stream, Phase phase, const char* label, int threads,
                    std::int64_t count, Work work) {
    stream.enqueue(phase, label, [=] {
        system::parallel_parts(
            threads, [&](int thread) { work(block_range(count, threads, thread), thread); });
    });
}

/// Column and row FFTs of any size by FFTW and plain loops. Each thread works on a tile, or on the
/// eight rows of a block, at a time.
std::unique_ptr<ColumnFfts> make_fftw_column_ffts(device::Arena& arena, const FourStepFft& shape,
                                                  int threads);
std::unique_ptr<RowFfts> make_fftw_row_ffts(device::Arena& arena, const FourStepFft& shape,
                                            int threads);

/// FFTW's version and instruction sets, with a remark if it lacks AVX2, which this processor has.
std::string fftw_description();

/// Whether FFTW has no code for AVX2, as its version says (fftw_version), although a processor
/// whose widest loops are of `isa` has AVX2: some systems package FFTW so.
bool lacks_avx2(std::string_view fftw, std::string_view isa);

}  // namespace quartet::fft
