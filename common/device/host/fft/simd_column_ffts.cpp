#include "device/host/fft/simd_column_ffts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/small_transform.hpp"
#include "device/host/fft/two_levels.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/require_host.hpp"
#include "streaming_store.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

/// Blocks of eight that cover [0, count), the last one moved back to end with it: it does some
/// elements twice, with the same result. `count` is at least 8.
struct Blocks {
    std::int64_t count;
    [[nodiscard]] std::int64_t blocks() const { return (count + lane_count - 1) / lane_count; }
    [[nodiscard]] std::int64_t begin(std::int64_t block) const {
        return std::min(block * lane_count, count - lane_count);
    }
};

/// Where one thread works on one tile.
struct ColumnWorkspace {
    Buffer<double> memory;
    SimdComplex* stages = nullptr;   ///< of the small transforms
    SimdComplex* columns = nullptr;  ///< [A]: eight transformed columns
    SimdComplex* scratch =
        nullptr;  ///< [block of ka][B and one more, so that rows fall in many sets]
    SimdComplex* outer = nullptr;  ///< [block of ka]: w_N^(t ka)
    double* inner = nullptr;       ///< [B]: w_N^(t A kb)
    double* line = nullptr;  ///< [re or im][M and a cell more]: bins that are yet to be dealt out
};

/// Where eight adjacent bins of this rank's first tile go.
struct Cell {
    std::int64_t first_bin;  ///< k1
    std::int64_t place;      ///< in doubles, among the parts
};

class SimdColumnFfts final : public ColumnFfts {
  public:
    SimdColumnFfts(const FourStepFft& split, const TwoLevels& levels, int threads);

    void run(View<const std::complex<double>> tiles, View<double> parts, Stream& stream) override;
    [[nodiscard]] std::string description() const override {
        return fmt::format("{} x {} in lanes", first_.length(), second_.length());
    }

  private:
    [[nodiscard]] ColumnWorkspace make_workspace() const;
    void make_middle_factors();
    void make_cells();

    void transform(std::int64_t tile, const double* points, double* parts,
                   const ColumnWorkspace& work) const;
    void make_tile_factors(std::int64_t tile, const ColumnWorkspace& work) const;
    void transform_columns(const double* points, const ColumnWorkspace& work) const;
    void transform_rows(std::int64_t local_tile, double* parts, const ColumnWorkspace& work) const;
    template <typename StoreCell>
    void transform_rows_into(const ColumnWorkspace& work, StoreCell store_cell) const;

    FourStepFft split_;
    SmallTransform first_;   ///< A
    SmallTransform second_;  ///< B
    Blocks columns_;         ///< of B
    Blocks rows_;            ///< of A
    std::int64_t scratch_row_;
    RootsOfUnity roots_;
    Buffer<double> middle_;  ///< [block of b][ka] of lanes b: w_M^(b ka)
    /// Whether eight k1 that are lanes always are one cell.
    bool whole_cells_ = true;
    std::vector<Cell> cells_;                  ///< by k1 / 8 where they are whole
    std::vector<ColumnWorkspace> workspaces_;  ///< by thread
};

SimdColumnFfts::SimdColumnFfts(const FourStepFft& split, const TwoLevels& levels, int threads)
    : split_(split),
      first_(levels.first),
      second_(levels.second),
      columns_{levels.second},
      rows_{levels.first},
      scratch_row_(levels.second + 1),
      roots_(split.points()) {
    make_middle_factors();
    make_cells();
    const auto parts = std::clamp<std::int64_t>(split.my_tiles().size(), 1, threads);
    for (std::int64_t part = 0; part < parts; ++part)
        workspaces_.push_back(make_workspace());
}

// In doubles, with a line of all bins.
std::int64_t column_workspace_size(const TwoLevels& levels) {
    const std::int64_t stages = 2 * std::max(levels.first, levels.second);
    const std::int64_t row_blocks = Blocks{levels.first}.blocks();
    const std::int64_t lanes = stages + levels.first + row_blocks * (levels.second + 2);
    return lanes * FourStepFft::cell_size + 2 * levels.second +
           2 * (levels.first * levels.second + lane_count);
}

ColumnWorkspace SimdColumnFfts::make_workspace() const {
    const std::int64_t stages = std::max(first_.work_size(), second_.work_size());
    const std::int64_t size = column_workspace_size({first_.length(), second_.length()});
    ColumnWorkspace work;
    work.memory = {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
    work.stages = reinterpret_cast<SimdComplex*>(work.memory.view().data());
    work.columns = work.stages + stages;
    work.scratch = work.columns + first_.length();
    work.outer = work.scratch + rows_.blocks() * scratch_row_;
    work.inner = reinterpret_cast<double*>(work.outer + rows_.blocks());
    work.line = work.inner + 2 * second_.length();
    return work;
}

void SimdColumnFfts::make_middle_factors() {
    const std::int64_t size = columns_.blocks() * first_.length() * FourStepFft::cell_size;
    middle_ = {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
    const RootsOfUnity roots(split_.length);
    double* cell = middle_.view().data();
    for (std::int64_t block = 0; block < columns_.blocks(); ++block) {
        for (std::int64_t ka = 0; ka < first_.length(); ++ka, cell += FourStepFft::cell_size) {
            for (std::int64_t lane = 0; lane < lane_count; ++lane) {
                const auto root =
                    roots(static_cast<std::uint64_t>((columns_.begin(block) + lane) * ka));
                cell[lane] = root.real();
                cell[lane_count + lane] = root.imag();
            }
        }
    }
}

void SimdColumnFfts::make_cells() {
    whole_cells_ = first_.length() % lane_count == 0;
    std::int64_t part = 0;
    for (int to = 0; to < split_.ranks; ++to) {
        const Range bins = split_.bins_of(to);
        whole_cells_ = whole_cells_ && bins.begin % lane_count == 0;
        for (std::int64_t cell = 0; cell < split_.cells_of(to); ++cell)
            cells_.push_back(
                {bins.begin + cell * lane_count,
                 part + cell_index(cell, 0, split_.my_tiles().size()) * FourStepFft::cell_size});
        part += split_.part_size(split_.rank, to);
    }
}

void SimdColumnFfts::run(View<const std::complex<double>> tiles, View<double> parts,
                         Stream& stream) {
    require_host(tiles, split_.input_points(), "tile pass: not this rank's tiles");
    require_host(parts, split_.parts_size(), "tile pass: not the size of this rank's parts");
    require_apart(tiles, parts);
    const auto work = [this, from = reinterpret_cast<const double*>(tiles.data()),
                       to = parts.data()] {
        const auto threads = static_cast<int>(workspaces_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            const Range mine = block_range(split_.my_tiles().size(), threads, thread);
            for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
                transform(tile, from, to, workspaces_[static_cast<std::size_t>(thread)]);
            finish_streaming();
        });
    };
    stream.enqueue(Phase::compute, "tiles", work);
}

void SimdColumnFfts::transform(std::int64_t tile, const double* points, double* parts,
                               const ColumnWorkspace& work) const {
    make_tile_factors(split_.my_tiles().begin + tile, work);
    transform_columns(points + 2 * tile * split_.length, work);
    transform_rows(tile, parts, work);
}

// w_N^(t k1) as a product over k1 = ka + A kb. No exponent reaches N, since t < T and k1 < M.
void SimdColumnFfts::make_tile_factors(std::int64_t tile, const ColumnWorkspace& work) const {
    const auto t = static_cast<std::uint64_t>(tile);
    for (std::int64_t block = 0; block < rows_.blocks(); ++block) {
        auto* factors = reinterpret_cast<double*>(work.outer + block);
        for (std::int64_t lane = 0; lane < lane_count; ++lane) {
            const auto root = roots_(t * static_cast<std::uint64_t>(rows_.begin(block) + lane));
            factors[lane] = root.real();
            factors[lane_count + lane] = root.imag();
        }
    }
    const std::uint64_t step = t * static_cast<std::uint64_t>(first_.length());
    for (int kb = 0; kb < second_.length(); ++kb) {
        const auto root = roots_(step * static_cast<std::uint64_t>(kb));
        work.inner[2 * kb] = root.real();
        work.inner[2 * kb + 1] = root.imag();
    }
}

void SimdColumnFfts::transform_columns(const double* points, const ColumnWorkspace& work) const {
    const std::int64_t stride = 2 * second_.length();
    const std::int64_t next_tile = 2 * split_.length;
    for (std::int64_t block = 0; block < columns_.blocks(); ++block) {
        const std::int64_t first_column = columns_.begin(block);
        const double* source = points + 2 * first_column;
        SimdComplex* columns = work.columns;
        first_.run(
            [=](int j) __attribute__((always_inline)) {
                const double* place = source + j * stride;
                prefetch_cell(place + next_tile);
                return load_interleaved(place);
            },
            [=](int k, const SimdComplex& value)
                __attribute__((always_inline)) { columns[k] = value; },
            work.stages);
        const SimdComplex* factors =
            reinterpret_cast<const SimdComplex*>(middle_.view().data()) + block * first_.length();
        for (std::int64_t row_block = 0; row_block < rows_.blocks(); ++row_block) {
            const std::int64_t row = rows_.begin(row_block);
            Vector re[lane_count];
            Vector im[lane_count];
            unrolled<lane_count>([&](auto lane) __attribute__((always_inline)) {
                const SimdComplex value = columns[row + lane] * factors[row + lane];
                re[lane] = value.re;
                im[lane] = value.im;
            });
            transpose(re);
            transpose(im);
            SimdComplex* target = work.scratch + row_block * scratch_row_ + first_column;
            unrolled<lane_count>([&](auto lane) __attribute__((always_inline)) {
                target[lane] = {re[lane], im[lane]};
            });
        }
    }
}

void SimdColumnFfts::transform_rows(std::int64_t local_tile, double* parts,
                                    const ColumnWorkspace& work) const {
    double* target = parts + local_tile * FourStepFft::cell_size;
    if (whole_cells_) {
        const Cell* cells = cells_.data();
        transform_rows_into(
            work, [=](std::int64_t k1, const SimdComplex& value) __attribute__((always_inline)) {
                double* place = target + cells[k1 / lane_count].place;
                store_streaming(value.re, place);
                store_streaming(value.im, place + lane_count);
            });
        return;
    }
    // Eight bins that begin anywhere: in order first, then cell by cell. What follows a rank's last
    // bin in its last cell are bins of the next.
    double* re = work.line;
    double* im = work.line + split_.length + lane_count;
    transform_rows_into(
        work, [=](std::int64_t k1, const SimdComplex& value) __attribute__((always_inline)) {
            std::memcpy(re + k1, &value.re, sizeof value.re);
            std::memcpy(im + k1, &value.im, sizeof value.im);
        });
    for (const Cell& cell : cells_) {
        SimdComplex value;
        std::memcpy(&value.re, re + cell.first_bin, sizeof value.re);
        std::memcpy(&value.im, im + cell.first_bin, sizeof value.im);
        store_streaming(value.re, target + cell.place);
        store_streaming(value.im, target + cell.place + lane_count);
    }
}

template <typename StoreCell>
void SimdColumnFfts::transform_rows_into(const ColumnWorkspace& work, StoreCell store_cell) const {
    const std::int64_t step = first_.length();
    for (std::int64_t block = 0; block < rows_.blocks(); ++block) {
        const SimdComplex* source = work.scratch + block * scratch_row_;
        const SimdComplex* outer = work.outer + block;
        const double* inner = work.inner;
        const std::int64_t first_bin = rows_.begin(block);
        second_.run(
            [=](int j) __attribute__((always_inline)) { return source[j]; },
            [=](int k, const SimdComplex& value) __attribute__((always_inline)) {
                store_cell(first_bin + k * step, value * times(*outer, inner + 2 * k));
            },
            work.stages);
    }
}

std::optional<TwoLevels> column_levels(const FourStepFft& split) {
    return two_levels(split.length, lane_count, lane_count);
}

}  // namespace

std::unique_ptr<ColumnFfts> plan_simd_column_ffts(const FourStepFft& split, int threads) {
    const auto levels = column_levels(split);
    if (!levels)
        return nullptr;
    return std::make_unique<SimdColumnFfts>(split, *levels, threads);
}

std::optional<Bytes> simd_column_ffts_memory(const FourStepFft& split, int threads) {
    const auto levels = column_levels(split);
    if (!levels)
        return std::nullopt;
    const std::int64_t middle = Blocks{levels->second}.blocks() * levels->first;
    return Bytes{RootsOfUnity::table_bytes(split.points())} +
           bytes_of<double>(middle * FourStepFft::cell_size) +
           bytes_of<Cell>(split.length / lane_count + split.ranks) +
           threads * bytes_of<double>(column_workspace_size(*levels));
}

}  // namespace quartet::device
