#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/block_range.hpp"
#include "device/arena.hpp"

namespace quartet::fft {

using Point = std::complex<double>;

/// a b, written out: the operator of std::complex looks for infinities.
inline Point product(const Point& a, const Point& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// a b mod `modulus` for numbers below it, whatever their product's size.
std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus);

/// exp(-2 pi i numerator / denominator) to the last bit or two of a long double.
std::complex<long double> root_of_unity(std::uint64_t numerator, std::uint64_t denominator);

/// The powers of exp(-2 pi i / order), any of them at the price of one multiplication: two tables
/// of about sqrt(order) entries, made in long double, so that the error is that of rounding the
/// factors and the product.
class RootsOfUnity {
  public:
    /// Throws Failure unless 1 <= order <= 2^62.
    explicit RootsOfUnity(std::int64_t order);
    /// As above; the arena counts the tables, which are not made while it plans.
    RootsOfUnity(device::Arena& arena, std::int64_t order);

    /// The power; `exponent` is below the order.
    [[nodiscard]] std::complex<double> operator()(std::uint64_t exponent) const {
        return product(coarse_[exponent >> shift_], fine_[exponent & mask_]);
    }
    /// The power of a product of two exponents, each below the order.
    [[nodiscard]] std::complex<double> of_product(std::uint64_t a, std::uint64_t b) const {
        return (*this)(multiply_modulo(a, b, order_));
    }

  private:
    std::uint64_t order_ = 1;
    int shift_ = 0;
    std::uint64_t mask_ = 0;
    std::vector<std::complex<double>> coarse_;  ///< of multiples of 2^shift
    std::vector<std::complex<double>> fine_;    ///< of 0 to 2^shift - 1
};

/// The shape of a four-step FFT of N = T M points over P ranks (D. H. Bailey, "FFTs in external or
/// hierarchical memory", Journal of Supercomputing 4, 1990), with w_n = exp(-2 pi i / n):
///
///     X[k1 + M k2] = sum_t w_T^(t k2) ( w_N^(t k1) sum_m w_M^(m k1) x[t + T m] )
///
/// The input is a matrix x[m][t]. Its columns are the tiles x[t::T], each M contiguous points.
///
///     1. column FFTs   M points of each tile                        ColumnFfts
///     2. twiddles      element (k1, t) times w_N^(t k1)             ColumnFfts
///     3. exchange      one all-to-all, from tiles to bins           by the caller
///     4. row FFTs      T points for each k1                         RowFfts
///
/// Rank r owns the tiles t in block_range(T, P, r). Of the result it owns the bins k1 in
/// block_range(M, P, r), stored [k2][k1]: the transposed order. Natural order takes a second
/// all-to-all and a Transpose.
///
/// Between steps 2 and 4 the data lie in SIMD blocks: eight adjacent k1 of one tile as
/// [8 re | 8 im], two cache lines. A rank's k1 begin with a block of their own; the last block may
/// be filled in part. What one rank sends to another is a part, [block of the receiver][tile of the
/// sender]. A part is contiguous, and so is what one row FFT reads of it.
///
/// Example: P = 2, T = 4, M = 24. Rank 0 has tiles 0 and 1, and writes
///
///     to rank 0: k1  0- 7: tiles 0, 1;  k1  8-11, 4 empty: tiles 0, 1
///     to rank 1: k1 12-19: tiles 0, 1;  k1 20-23, 4 empty: tiles 0, 1
///
/// Element k1 = 21 of tile 1 is in the second block of the part for rank 1, in lane 1. Its real
/// part is double (1 * 2 + 1) * 16 + 1 = 49 of that part, its imaginary part double 57.
struct FourStepFft {
    std::int64_t tiles = 1;   ///< T
    std::int64_t length = 1;  ///< M
    int ranks = 1;            ///< P
    int rank = 0;

    /// Bins of one SIMD block.
    static constexpr std::int64_t block_bins = 8;
    /// Doubles of one SIMD block.
    static constexpr std::int64_t block_size = 2 * block_bins;

    [[nodiscard]] std::int64_t points() const { return tiles * length; }
    /// The tiles t of a rank.
    [[nodiscard]] Range tiles_of(int owner) const { return block_range(tiles, ranks, owner); }
    [[nodiscard]] Range my_tiles() const { return tiles_of(rank); }
    /// The k1 of a rank.
    [[nodiscard]] Range bins_of(int owner) const { return block_range(length, ranks, owner); }
    [[nodiscard]] Range my_bins() const { return bins_of(rank); }
    /// SIMD blocks that a rank's k1 fill, for each tile.
    [[nodiscard]] std::int64_t blocks_of(int owner) const {
        return (bins_of(owner).size() + block_bins - 1) / block_bins;
    }

    /// Points of this rank's tiles, and of its part of the transposed result.
    [[nodiscard]] std::int64_t input_points() const { return my_tiles().size() * length; }
    [[nodiscard]] std::int64_t output_points() const { return my_bins().size() * tiles; }
    /// Doubles of the part that goes from one rank to another.
    [[nodiscard]] std::int64_t part_size(int from, int to) const {
        return blocks_of(to) * tiles_of(from).size() * block_size;
    }
    /// Doubles of all parts that this rank writes, one after another by receiver.
    [[nodiscard]] std::int64_t parts_size() const {
        std::int64_t size = 0;
        for (int to = 0; to < ranks; ++to)
            size += part_size(rank, to);
        return size;
    }
};

/// Throws Failure unless T and M are positive, T M is at most 2^62 and 0 <= rank < ranks.
void require_valid(const FourStepFft& shape);

/// The position, in SIMD blocks, of a tile's block within a part that has `tiles` tiles.
constexpr std::int64_t block_index(std::int64_t block, std::int64_t tile, std::int64_t tiles) {
    return block * tiles + tile;
}

/// The number of a rank's transposed bins that are below k.
std::int64_t bins_below(const FourStepFft& shape, int owner, std::int64_t k);
/// The number of transposed bins of `from` that belong to `to` in natural order.
std::int64_t natural_part_points(const FourStepFft& shape, int from, int to);

/// A prepared step of a transform on one device. Preparing it may take long and allocates; running
/// it allocates nothing. The object and all views must live until the work is synchronised.
class FftStep {
  public:
    virtual ~FftStep() = default;
    /// The algorithm, for the record: "64 x 128 in 8 lanes".
    [[nodiscard]] virtual std::string description() const { return {}; }

  protected:
    /// `kind` is the kind of the device's memory. Throws Failure for an impossible shape.
    FftStep(const FourStepFft& shape, device::MemoryKind kind) : shape_(shape), kind_(kind) {
        require_valid(shape);
    }
    [[nodiscard]] const FourStepFft& shape() const { return shape_; }
    /// Throws Failure that states `problem` unless `view` holds `size` elements, on this device.
    template <typename T>
    void require(const device::View<T>& view, std::int64_t size, std::string_view problem) const {
        check(view.size() == size, problem);
        check(view.empty() || (view.kind() == device::MemoryKind::device) ==
                                  (kind_ == device::MemoryKind::device),
              "FFT: memory that this device does not work on");
    }

  private:
    FourStepFft shape_;
    device::MemoryKind kind_;
};

/// A step from this rank's tiles.
template <typename Number>
class TileStep : public FftStep {
  public:
    /// `tiles` holds this rank's tiles, one after another. Throws Failure for wrong sizes.
    void run(device::View<const Point> tiles, device::View<Number> results, device::Stream& stream);

  protected:
    using FftStep::FftStep;

  private:
    virtual void enqueue(device::View<const Point> tiles, device::View<Number> results,
                         device::Stream& stream) = 0;
};

/// The FFT of each of this rank's tiles, times the twiddles w_N^(t k1). The tiles keep their
/// values. The results are parts_size() doubles aligned to 64 bytes: this rank's parts; the empty
/// lanes of a rank's last block get any values.
using ColumnFfts = TileStep<double>;

/// The whole transform by the one rank that has all tiles, without SIMD blocks. The results are
/// [k2][k1]: bin k1 + M k2. The tiles keep their values unless the results are the same memory.
using SingleRankFft = TileStep<Point>;

/// A step after an exchange, from the part of each rank.
template <typename Number>
class PartStep : public FftStep {
  public:
    /// `parts` has the part from each rank. Throws Failure for wrong sizes.
    void run(std::span<const device::View<const Number>> parts, device::View<Point> bins,
             device::Stream& stream);

  protected:
    using FftStep::FftStep;

  private:
    virtual void enqueue(std::span<const device::View<const Number>> parts,
                         device::View<Point> bins, device::Stream& stream) = 0;
};

/// The FFT over all tiles, for each k1 of this rank. Parts are aligned to 64 bytes. `bins` becomes
/// [k2][k1 of this rank]: bin k1 + M k2.
using RowFfts = PartStep<double>;

/// From the transposed to the natural order. A rank's transposed bins ascend in k, so what goes to
/// the owner of X[block_range(N, P, owner)] is contiguous: natural_part_points() points. After that
/// exchange, this copies each point to its position: `bins` becomes X of this rank's block range.
using Transpose = PartStep<Point>;

/// Prepares the transforms of one device, which outlives them. They keep the rules of
/// device::Arena: while the arena plans they must not run. All throw Failure for an impossible
/// shape.
class FftFactory {
  public:
    virtual ~FftFactory() = default;

    virtual std::unique_ptr<ColumnFfts> column_ffts(device::Arena& arena,
                                                    const FourStepFft& shape) = 0;
    virtual std::unique_ptr<RowFfts> row_ffts(device::Arena& arena, const FourStepFft& shape) = 0;
    virtual std::unique_ptr<Transpose> transpose(const FourStepFft& shape) = 0;

    /// One rank's whole transform, if the device has one that is faster than ColumnFfts and
    /// RowFfts; otherwise null.
    virtual std::unique_ptr<SingleRankFft> single_rank_fft(device::Arena& arena,
                                                           const FourStepFft& shape) = 0;
    /// The transform of the GPU's vendor, of all points as one tile; null on a host.
    virtual std::unique_ptr<SingleRankFft> vendors_fft(device::Arena&, std::int64_t) {
        return nullptr;
    }
};

/// Makes the factory for a device. Throws Unavailable if a library of the GPU's vendor cannot be
/// loaded.
std::unique_ptr<FftFactory> make_fft_factory(device::Device& device);

/// Makes the factory for the current GPU. A vendor's plan does its transforms in pieces whose
/// workspace is about `most_workspace`, unless one transform takes more. Throws Unavailable if a
/// library cannot be loaded, and in a build without CUDA.
std::unique_ptr<FftFactory> make_cuda_ffts(Bytes most_workspace = gibibytes(1));

}  // namespace quartet::fft
