#include "fft/small_fft.isa.hpp"

namespace quartet::fft::QUARTET_ISA {

namespace {

/// Strips of adjacent indices that cover [0, count), one in each lane. `count` is at least 8.
struct LaneStrips {
    std::int64_t count;
    [[nodiscard]] std::int64_t strips() const { return (count + lanes - 1) / lanes; }
    [[nodiscard]] std::int64_t begin(std::int64_t strip) const {
        const std::int64_t last = count - lanes;
        return strip * lanes < last ? strip * lanes : last;
    }
};

/// Writes SIMD blocks part by part. Past the caches a cache line must be written whole: of two
/// parts the first waits for the second, in `halves`. Of four, which never fill a line soon, none
/// goes past the caches.
struct BlockWriter {
    bool past_caches;
    double* halves;

    /// Part `part` of a block; its other part is written with the same `index`.
    [[gnu::always_inline]] void write(double* block, int part, std::int64_t index,
                                      const Complex& value) const {
        if (block_parts > 2 || !past_caches) {
            store_part(block, part, value);
        } else if constexpr (block_parts == 1) {
            store_past_caches(block, value.re);
            store_past_caches(block + block_bins, value.im);
        } else {
            Complex& half = reinterpret_cast<Complex*>(halves)[index];
            if (part == 0) {
                half = value;
                return;
            }
            store_past_caches(block, half.re);
            store_past_caches(block + lanes, value.re);
            store_past_caches(block + block_bins, half.im);
            store_past_caches(block + block_bins + lanes, value.im);
        }
    }
};

/// Writes complex numbers in order, re im re im; past the caches only if they fill a cache line.
[[gnu::always_inline]] inline void write_points(double* points, const Complex& value,
                                                bool past_caches) {
    const Complex pairs = interleaved(value);
    if (past_caches && block_parts <= 2) {
        store_past_caches(points, pairs.re);
        store_past_caches(points + lanes, pairs.im);
    } else {
        store(points, pairs.re);
        store(points + lanes, pairs.im);
    }
}

void tile_columns(const TileFft& fft, const TileWork& work, std::int64_t first_strip,
                  std::int64_t end_strip, const double* tile, const double* next) {
    const LaneStrips columns{fft.second.length};
    const std::int64_t stride = 2 * columns.count;
    const std::int64_t length = fft.first.length;
    const std::int64_t scratch_row = columns.strips() + 1;
    auto* scratch = reinterpret_cast<Complex*>(work.scratch);
    const auto* twiddles = reinterpret_cast<const Complex*>(fft.middle_twiddles);
    transform_strips(
        fft.first, first_strip, end_strip,
        [=](std::int64_t strip, std::int64_t j) __attribute__((always_inline)) {
            prefetch_line(next + (strip * length + j) * lanes);
            return load_pairs(tile + 2 * columns.begin(strip) + j * stride);
        },
        [=](std::int64_t strip, std::int64_t k, const Complex& value)
            __attribute__((always_inline)) {
                scratch[k * scratch_row + strip] = value * twiddles[strip * length + k];
            },
        work.stages);
}

constexpr int in_order(int lane) {
    return lane;
}

// Step 3 for the rows ka of a strip, order(lane) in each lane.
template <int (*order)(int), typename Store>
[[gnu::always_inline]] inline void strip_rows(const TileFft& fft, const TileWork& work,
                                              std::int64_t strip, Store store_bins) {
    const LaneStrips columns{fft.second.length};
    const std::int64_t scratch_row = columns.strips() + 1;
    const auto* first = reinterpret_cast<const Complex*>(work.scratch) +
                        LaneStrips{fft.first.length}.begin(strip) * scratch_row;
    if (fft.row_twiddles != nullptr)
        return transform_rows<order>(fft.second, fft.row_twiddles, {first, scratch_row}, store_bins,
                                     work.stages);
    // Without points of a row in the lanes: first the rows, each in a lane. The first stage reads
    // them before the second one writes there.
    Complex* points = reinterpret_cast<Complex*>(work.stages) + columns.count;
    for (std::int64_t column = 0; column < columns.strips(); ++column)
        transpose_strip<order>({first, scratch_row}, column, points + columns.begin(column));
    transform(
        fft.second, [=](std::int64_t j) __attribute__((always_inline)) { return points[j]; },
        store_bins, work.stages);
}

// Steps 3 and 4 of a strip of ka, times the outer twiddles.
template <typename Store>
[[gnu::always_inline]] inline void strip_bins(const TileFft& fft, const TileWork& work,
                                              std::int64_t strip, const double* next,
                                              Store store_bins) {
    const Complex* outer = reinterpret_cast<const Complex*>(work.outer_twiddles) + strip;
    const double* inner = work.inner_twiddles;
    strip_rows<in_order>(
        fft, work, strip, [=](std::int64_t k, const Complex& value) __attribute__((always_inline)) {
            prefetch_line(next + k * lanes);
            store_bins(k, value * times(*outer, inner + 2 * k));
        });
}

void tile_rows(const TileFft& fft, const TileWork& work, const double* next, double* blocks) {
    const std::int64_t step = fft.first.length;
    const LaneStrips rows{step};
    const std::int64_t prefetched = std::int64_t{fft.second.length} * lanes;
    const TargetBlock* targets = fft.blocks;
    if (fft.whole_blocks) {
        const BlockWriter writer{fft.past_caches, work.halves};
        for (std::int64_t strip = 0; strip < rows.strips(); ++strip, next += prefetched) {
            const TargetBlock* target = targets + strip / block_parts;
            const auto part = static_cast<int>(strip % block_parts);
            const std::int64_t blocks_of_row = step / block_bins;
            strip_bins(
                fft, work, strip,
                next, [=](std::int64_t k, const Complex& value) __attribute__((always_inline)) {
                    writer.write(blocks + target[k * blocks_of_row].offset, part, k, value);
                });
        }
        return;
    }
    // Strips and blocks begin at different bins: all bins in order first, then block by block.
    // The empty lanes of a rank's last block get bins of the next rank.
    double* re = work.unsorted;
    double* im = re + std::int64_t{fft.first.length} * fft.second.length + block_bins;
    for (std::int64_t strip = 0; strip < rows.strips(); ++strip, next += prefetched) {
        const std::int64_t first_bin = rows.begin(strip);
        strip_bins(
            fft, work, strip,
            next, [=](std::int64_t k, const Complex& value) __attribute__((always_inline)) {
                store(re + first_bin + k * step, value.re);
                store(im + first_bin + k * step, value.im);
            });
    }
    const BlockWriter writer{fft.past_caches, work.halves};
    for (std::int64_t number = 0; number < fft.block_count; ++number) {
        const std::int64_t bin = targets[number].first_bin;
        for (int part = 0; part < block_parts; ++part)
            writer.write(blocks + targets[number].offset, part, 0,
                         {load(re + bin + std::int64_t{part} * lanes),
                          load(im + bin + std::int64_t{part} * lanes)});
    }
}

void only_tile_rows(const TileFft& fft, const TileWork& work, std::int64_t first_strip,
                    std::int64_t end_strip, double* bins) {
    const std::int64_t step = fft.first.length;
    const LaneStrips rows{step};
    for (std::int64_t strip = first_strip; strip < end_strip; ++strip) {
        double* target = bins + 2 * rows.begin(strip);
        strip_rows<in_pair_order>(
            fft, work,
            strip, [=](std::int64_t k, const Complex& value) __attribute__((always_inline)) {
                store_pairs(target + 2 * k * step, value);
            });
    }
}

void rows(const RowFft& fft, const RowWork& work, std::int64_t count, double* bins) {
    const TileSource* sources = fft.sources;
    const double* const* block = work.block;
    const double* const* next = work.next;
    const std::int64_t step = 2 * fft.columns;
    const bool past_caches = fft.past_caches;
    for (std::int64_t part = 0; part < block_parts && part * lanes < count; ++part) {
        const auto load_tile = [=](std::int64_t t) __attribute__((always_inline)) {
            const std::int64_t offset = std::int64_t{2} * block_bins * sources[t].tile;
            if (part == 0)
                prefetch_block(next[sources[t].rank] + offset);
            return load_part(block[sources[t].rank] + offset, part);
        };
        double* target = bins + 2 * part * lanes;
        const std::int64_t here = count - part * lanes;
        const auto store_row = [=](std::int64_t k2, const Complex& value)
            __attribute__((always_inline)) {
            if (here >= lanes) {
                write_points(target + k2 * step, value, past_caches);
                return;
            }
            const Complex pairs = interleaved(value);
            std::memcpy(target + k2 * step, &pairs,
                        static_cast<std::size_t>(2 * here) * sizeof(double));
        };
        if (fft.first.length == 1) {
            transform(fft.second, load_tile, store_row, work.stages);
            continue;
        }
        const std::int64_t first = fft.first.length;
        const std::int64_t second = fft.second.length;
        const std::int64_t scratch_row = second + 1;
        auto* scratch = reinterpret_cast<Complex*>(work.scratch);
        for (std::int64_t b = 0; b < second; ++b) {
            const double* twiddles = fft.twiddles + 2 * b * first;
            transform(
                fft.first,
                [=](std::int64_t j)
                    __attribute__((always_inline)) { return load_tile(j * second + b); },
                [=](std::int64_t k, const Complex& value) __attribute__((always_inline)) {
                    scratch[k * scratch_row + b] = times(value, twiddles + 2 * k);
                },
                work.stages);
        }
        for (std::int64_t ka = 0; ka < first; ++ka) {
            const Complex* source = scratch + ka * scratch_row;
            transform(
                fft.second,
                [=](std::int64_t j) __attribute__((always_inline)) { return source[j]; },
                [=](std::int64_t k, const Complex& value)
                    __attribute__((always_inline)) { store_row(ka + k * first, value); },
                work.stages);
        }
    }
}

void scatter(const double* blocks, std::int64_t count, const double* within, const double* roots,
             double* target, std::int64_t step, bool past_caches) {
    constexpr std::int64_t block = std::int64_t{2} * block_bins;
    constexpr std::int64_t ahead = 8;  // blocks to prefetch: another core has them in its cache
    alignas(Complex) double half[2 * lanes];
    const BlockWriter writer{past_caches, half};
    for (std::int64_t number = 0; number < count; ++number, blocks += block) {
        double* address = target + number * step;
        prefetch_block(blocks + block * ahead);
        if (!past_caches) {
            __builtin_prefetch(address + ahead * step, 1, 2);
            __builtin_prefetch(address + ahead * step + block_bins, 1, 2);
        }
        for (int part = 0; part < block_parts; ++part)
            writer.write(
                address, part, 0,
                load_part(blocks, part) * times(load_part(within, part), roots + 2 * number));
    }
}

}  // namespace

extern const Loops loops;
constinit const Loops loops{QUARTET_ISA_NAME, lanes, registers, tile_columns,      tile_rows,
                            only_tile_rows,   rows,  scatter,   finish_past_caches};

}  // namespace quartet::fft::QUARTET_ISA
