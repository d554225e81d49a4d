#include "device/host/fft/host_ffts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/small_transform.hpp"
#include "device/host/fft/two_levels.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/require_host.hpp"
#include "device/host/simd/streaming_store.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

/// Strips of eight that cover [0, count). The last strip ends at `count`, so it may repeat elements
/// of the one before, with the same result. `count` is at least 8.
struct Strips {
    std::int64_t count;
    [[nodiscard]] std::int64_t strips() const { return (count + simd_width - 1) / simd_width; }
    [[nodiscard]] std::int64_t begin(std::int64_t strip) const {
        return std::min(strip * simd_width, count - simd_width);
    }
};

/// One thread's memory for one tile.
struct ColumnWorkspace {
    Buffer<double> memory;
    SimdComplex* stages = nullptr;   ///< of the small transforms
    SimdComplex* columns = nullptr;  ///< [A]: eight transformed columns
    /// [strip of ka][B + 1]: the padding spreads rows over the cache's sets.
    SimdComplex* scratch = nullptr;
    SimdComplex* outer_twiddles = nullptr;  ///< [strip of ka]: w_N^(t ka)
    double* inner_twiddles = nullptr;       ///< [B]: w_N^(t A kb)
    double* bins = nullptr;                 ///< [re or im][M + 8]: before they become SIMD blocks
};

/// The place to which eight adjacent bins of this rank's first tile are written.
struct TargetBlock {
    std::int64_t first_bin;  ///< k1
    std::int64_t offset;     ///< in doubles, from the beginning of the parts
};

class SimdColumnFfts final : public ColumnFfts {
  public:
    SimdColumnFfts(const FourStepFft& shape, const TwoLevels& levels, int threads);

    void run(View<const std::complex<double>> tiles, View<double> parts, Stream& stream) override;
    [[nodiscard]] std::string description() const override {
        return fmt::format("{} x {} in lanes", first_.length(), second_.length());
    }

  private:
    [[nodiscard]] ColumnWorkspace make_workspace() const;
    void make_middle_twiddles();
    void make_target_blocks();

    void transform(std::int64_t tile, const double* points, double* parts,
                   const ColumnWorkspace& work) const;
    void make_tile_twiddles(std::int64_t tile, const ColumnWorkspace& work) const;
    // Both prefetch a half of the next tile.
    void transform_columns(const double* points, const double* next,
                           const ColumnWorkspace& work) const;
    void transform_rows(std::int64_t local_tile, const double* next, double* parts,
                        const ColumnWorkspace& work) const;
    template <typename StoreBlock>
    void transform_rows_into(const ColumnWorkspace& work, const double* next,
                             StoreBlock store_block) const;

    FourStepFft shape_;
    SmallTransform first_;   ///< A
    SmallTransform second_;  ///< B
    Strips columns_;         ///< of B
    Strips rows_;            ///< of A
    std::int64_t scratch_row_;
    RootsOfUnity twiddles_;           ///< powers of w_N
    Buffer<double> middle_twiddles_;  ///< [strip of b][ka], b in lanes: w_M^(b ka)
    /// Whether each strip of k1 is one SIMD block.
    bool whole_blocks_ = true;
    std::vector<TargetBlock> target_blocks_;   ///< by k1 / 8 if whole_blocks_
    std::vector<ColumnWorkspace> workspaces_;  ///< by thread
};

SimdColumnFfts::SimdColumnFfts(const FourStepFft& shape, const TwoLevels& levels, int threads)
    : shape_(shape),
      first_(levels.first),
      second_(levels.second),
      columns_{levels.second},
      rows_{levels.first},
      scratch_row_(levels.second + 1),
      twiddles_(shape.points()) {
    make_middle_twiddles();
    make_target_blocks();
    const auto parts = std::clamp<std::int64_t>(shape.my_tiles().size(), 1, threads);
    for (std::int64_t part = 0; part < parts; ++part)
        workspaces_.push_back(make_workspace());
}

// The size of the workspace in doubles.
std::int64_t column_workspace_size(const TwoLevels& levels) {
    const std::int64_t stages = 2 * std::max(levels.first, levels.second);
    const std::int64_t row_strips = Strips{levels.first}.strips();
    const std::int64_t blocks = stages + levels.first + row_strips * (levels.second + 2);
    return blocks * FourStepFft::block_size + 2 * levels.second +
           2 * (levels.first * levels.second + simd_width);
}

ColumnWorkspace SimdColumnFfts::make_workspace() const {
    const std::int64_t stages = std::max(first_.work_size(), second_.work_size());
    const std::int64_t size = column_workspace_size({first_.length(), second_.length()});
    ColumnWorkspace work;
    work.memory = {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
    work.stages = reinterpret_cast<SimdComplex*>(work.memory.view().data());
    work.columns = work.stages + stages;
    work.scratch = work.columns + first_.length();
    work.outer_twiddles = work.scratch + rows_.strips() * scratch_row_;
    work.inner_twiddles = reinterpret_cast<double*>(work.outer_twiddles + rows_.strips());
    work.bins = work.inner_twiddles + std::int64_t{2} * second_.length();
    return work;
}

void SimdColumnFfts::make_middle_twiddles() {
    const std::int64_t size = columns_.strips() * first_.length() * FourStepFft::block_size;
    middle_twiddles_ = {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
    const RootsOfUnity roots(shape_.length);
    double* block = middle_twiddles_.view().data();
    for (std::int64_t strip = 0; strip < columns_.strips(); ++strip) {
        for (std::int64_t ka = 0; ka < first_.length(); ++ka, block += FourStepFft::block_size) {
            for (std::int64_t lane = 0; lane < simd_width; ++lane) {
                const auto root =
                    roots(static_cast<std::uint64_t>((columns_.begin(strip) + lane) * ka));
                block[lane] = root.real();
                block[simd_width + lane] = root.imag();
            }
        }
    }
}

void SimdColumnFfts::make_target_blocks() {
    whole_blocks_ = first_.length() % simd_width == 0;
    std::int64_t part = 0;
    for (int to = 0; to < shape_.ranks; ++to) {
        const Range bins = shape_.bins_of(to);
        whole_blocks_ = whole_blocks_ && bins.begin % simd_width == 0;
        for (std::int64_t block = 0; block < shape_.blocks_of(to); ++block)
            target_blocks_.push_back(
                {bins.begin + block * simd_width,
                 part + block_index(block, 0, shape_.my_tiles().size()) * FourStepFft::block_size});
        part += shape_.part_size(shape_.rank, to);
    }
}

void SimdColumnFfts::run(View<const std::complex<double>> tiles, View<double> parts,
                         Stream& stream) {
    require_host(tiles, shape_.input_points(), "column FFTs: not this rank's tiles");
    require_host(parts, shape_.parts_size(), "column FFTs: not the size of this rank's parts");
    require_apart(tiles, parts);
    const auto work = [this, from = reinterpret_cast<const double*>(tiles.data()),
                       to = parts.data()] {
        const auto threads = static_cast<int>(workspaces_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            const Range mine = block_range(shape_.my_tiles().size(), threads, thread);
            for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
                transform(tile, from, to, workspaces_[static_cast<std::size_t>(thread)]);
            finish_streaming();
        });
    };
    stream.enqueue(Phase::compute, "tiles", work);
}

void SimdColumnFfts::transform(std::int64_t tile, const double* points, double* parts,
                               const ColumnWorkspace& work) const {
    make_tile_twiddles(shape_.my_tiles().begin + tile, work);
    const double* mine = points + 2 * tile * shape_.length;
    const double* next = mine + 2 * shape_.length;
    transform_columns(mine, next, work);
    transform_rows(tile, next + shape_.length, parts, work);
}

// w_N^(t k1) as a product over k1 = ka + A kb. No exponent reaches N, since t < T and k1 < M.
void SimdColumnFfts::make_tile_twiddles(std::int64_t tile, const ColumnWorkspace& work) const {
    const auto t = static_cast<std::uint64_t>(tile);
    for (std::int64_t strip = 0; strip < rows_.strips(); ++strip) {
        auto* twiddles = reinterpret_cast<double*>(work.outer_twiddles + strip);
        for (std::int64_t lane = 0; lane < simd_width; ++lane) {
            const auto root = twiddles_(t * static_cast<std::uint64_t>(rows_.begin(strip) + lane));
            twiddles[lane] = root.real();
            twiddles[simd_width + lane] = root.imag();
        }
    }
    const std::uint64_t step = t * static_cast<std::uint64_t>(first_.length());
    for (std::int64_t kb = 0; kb < second_.length(); ++kb) {
        const auto root = twiddles_(step * static_cast<std::uint64_t>(kb));
        work.inner_twiddles[2 * kb] = root.real();
        work.inner_twiddles[2 * kb + 1] = root.imag();
    }
}

void SimdColumnFfts::transform_columns(const double* points, const double* next,
                                       const ColumnWorkspace& work) const {
    const std::int64_t stride = std::int64_t{2} * second_.length();
    for (std::int64_t strip = 0; strip < columns_.strips();
         ++strip, next += first_.length() * std::int64_t{simd_width}) {
        const std::int64_t first_column = columns_.begin(strip);
        const double* source = points + 2 * first_column;
        SimdComplex* columns = work.columns;
        first_.run(
            [=](int j) __attribute__((always_inline)) {
                prefetch_line(next + j * std::int64_t{simd_width});
                return load_interleaved(source + j * stride);
            },
            [=](int k, const SimdComplex& value)
                __attribute__((always_inline)) { columns[k] = value; },
            work.stages);
        const SimdComplex* twiddles =
            reinterpret_cast<const SimdComplex*>(middle_twiddles_.view().data()) +
            strip * first_.length();
        for (std::int64_t row_strip = 0; row_strip < rows_.strips(); ++row_strip) {
            const std::int64_t row = rows_.begin(row_strip);
            Vector re[simd_width];
            Vector im[simd_width];
            unrolled<simd_width>([&](auto lane) __attribute__((always_inline)) {
                const SimdComplex value = columns[row + lane] * twiddles[row + lane];
                re[lane] = value.re;
                im[lane] = value.im;
            });
            transpose(re);
            transpose(im);
            SimdComplex* target = work.scratch + row_strip * scratch_row_ + first_column;
            unrolled<simd_width>([&](auto lane) __attribute__((always_inline)) {
                target[lane] = {re[lane], im[lane]};
            });
        }
    }
}

void SimdColumnFfts::transform_rows(std::int64_t local_tile, const double* next, double* parts,
                                    const ColumnWorkspace& work) const {
    double* target = parts + local_tile * FourStepFft::block_size;
    if (whole_blocks_) {
        const TargetBlock* blocks = target_blocks_.data();
        transform_rows_into(
            work,
            next, [=](std::int64_t k1, const SimdComplex& value) __attribute__((always_inline)) {
                double* address = target + blocks[k1 / simd_width].offset;
                store_streaming(value.re, address);
                store_streaming(value.im, address + simd_width);
            });
        return;
    }
    // Strips and SIMD blocks begin at different bins: all bins in order first, then block by block.
    // The empty lanes of a rank's last block get bins of the next rank.
    double* re = work.bins;
    double* im = work.bins + shape_.length + simd_width;
    transform_rows_into(
        work, next, [=](std::int64_t k1, const SimdComplex& value) __attribute__((always_inline)) {
            std::memcpy(re + k1, &value.re, sizeof value.re);
            std::memcpy(im + k1, &value.im, sizeof value.im);
        });
    for (const TargetBlock& block : target_blocks_) {
        SimdComplex value;
        std::memcpy(&value.re, re + block.first_bin, sizeof value.re);
        std::memcpy(&value.im, im + block.first_bin, sizeof value.im);
        store_streaming(value.re, target + block.offset);
        store_streaming(value.im, target + block.offset + simd_width);
    }
}

template <typename StoreBlock>
void SimdColumnFfts::transform_rows_into(const ColumnWorkspace& work, const double* next,
                                         StoreBlock store_block) const {
    const std::int64_t step = first_.length();
    for (std::int64_t strip = 0; strip < rows_.strips();
         ++strip, next += second_.length() * std::int64_t{simd_width}) {
        const SimdComplex* source = work.scratch + strip * scratch_row_;
        const SimdComplex* outer = work.outer_twiddles + strip;
        const double* inner = work.inner_twiddles;
        const std::int64_t first_bin = rows_.begin(strip);
        second_.run(
            [=](int j) __attribute__((always_inline)) {
                prefetch_line(next + j * std::int64_t{simd_width});
                return source[j];
            },
            [=](int k, const SimdComplex& value) __attribute__((always_inline)) {
                store_block(first_bin + k * step,
                            value * times(*outer, inner + std::int64_t{2} * k));
            },
            work.stages);
    }
}

std::optional<TwoLevels> column_levels(const FourStepFft& shape) {
    return two_levels(shape.length, simd_width, simd_width);
}

}  // namespace

std::unique_ptr<ColumnFfts> plan_simd_column_ffts(const FourStepFft& shape, int threads) {
    const auto levels = column_levels(shape);
    if (!levels)
        return nullptr;
    return std::make_unique<SimdColumnFfts>(shape, *levels, threads);
}

std::optional<Bytes> simd_column_ffts_memory(const FourStepFft& shape, int threads) {
    const auto levels = column_levels(shape);
    if (!levels)
        return std::nullopt;
    const std::int64_t middle = Strips{levels->second}.strips() * levels->first;
    return Bytes{RootsOfUnity::table_bytes(shape.points())} +
           bytes_of<double>(middle * FourStepFft::block_size) +
           bytes_of<TargetBlock>(shape.length / simd_width + shape.ranks) +
           threads * bytes_of<double>(column_workspace_size(*levels));
}

}  // namespace quartet::device
