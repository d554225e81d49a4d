#include "device/host/fft/simd_row_ffts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
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

/// A tile's rank, and its number there.
struct Source {
    std::uint32_t rank;
    std::uint32_t tile;
};

/// Where one thread works on one column of cells.
struct RowWorkspace {
    Buffer<double> memory;
    SimdComplex* stages = nullptr;          ///< of the small transforms
    SimdComplex* scratch = nullptr;         ///< [A][B and one more, so that rows fall in many sets]
    std::vector<const SimdComplex*> cells;  ///< by rank: this column's
    std::vector<const SimdComplex*> next;   ///< and the next one's
};

/// Where the column's bins go: `target` is that of k2 = 0, `step` doubles lie between rows.
struct Target {
    double* target;
    std::int64_t step;
};

class SimdRowFfts final : public RowFfts {
  public:
    SimdRowFfts(const FourStepFft& split, const TwoLevels& levels, int threads);

    void run(std::span<const View<const double>> parts, View<std::complex<double>> bins,
             Stream& stream) override;
    [[nodiscard]] std::string description() const override {
        return first_.length() == 1
                   ? fmt::format("{} in lanes", second_.length())
                   : fmt::format("{} x {} in lanes", first_.length(), second_.length());
    }

  private:
    [[nodiscard]] RowWorkspace make_workspace() const;

    void combine(const Range& cells, std::span<const View<const double>> parts, double* bins,
                 RowWorkspace& work) const;
    void find_column(std::int64_t cell, std::span<const View<const double>> parts,
                     std::vector<const SimdComplex*>& places) const;
    template <typename StoreRow>
    void transform(const RowWorkspace& work, StoreRow store_row) const;

    FourStepFft split_;
    std::int64_t columns_;   ///< of the result: k1 of this rank
    SmallTransform first_;   ///< A, 1 where there is one level
    SmallTransform second_;  ///< B
    std::int64_t scratch_row_;
    std::vector<Source> sources_;           ///< by t
    std::vector<double> factors_;           ///< [b][ka], re and im: w_T^(b ka)
    std::vector<RowWorkspace> workspaces_;  ///< by thread
};

SimdRowFfts::SimdRowFfts(const FourStepFft& split, const TwoLevels& levels, int threads)
    : split_(split),
      columns_(split.my_bins().size()),
      first_(levels.first),
      second_(levels.second),
      scratch_row_(levels.second + 1) {
    for (int rank = 0; rank < split.ranks; ++rank) {
        const auto tiles = static_cast<std::uint32_t>(split.tiles_of(rank).size());
        for (std::uint32_t tile = 0; tile < tiles; ++tile)
            sources_.push_back({static_cast<std::uint32_t>(rank), tile});
    }
    if (levels.first > 1) {
        const RootsOfUnity roots(split.tiles);
        for (std::int64_t b = 0; b < levels.second; ++b) {
            for (std::int64_t ka = 0; ka < levels.first; ++ka) {
                const auto root = roots(static_cast<std::uint64_t>(b * ka));
                factors_.push_back(root.real());
                factors_.push_back(root.imag());
            }
        }
    }
    const auto parts = std::clamp<std::int64_t>(split.cells_of(split.rank), 1, threads);
    for (std::int64_t part = 0; part < parts; ++part)
        workspaces_.push_back(make_workspace());
}

// In doubles.
std::int64_t row_workspace_size(const TwoLevels& levels) {
    const std::int64_t stages = 2 * std::max(levels.first, levels.second);
    return (stages + levels.first * (levels.second + 1)) * FourStepFft::cell_size;
}

RowWorkspace SimdRowFfts::make_workspace() const {
    const std::int64_t stages = std::max(first_.work_size(), second_.work_size());
    const std::int64_t size = row_workspace_size({first_.length(), second_.length()});
    RowWorkspace work;
    work.memory = {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
    work.stages = reinterpret_cast<SimdComplex*>(work.memory.view().data());
    work.scratch = work.stages + stages;
    work.cells.resize(static_cast<std::size_t>(split_.ranks));
    work.next.resize(static_cast<std::size_t>(split_.ranks));
    return work;
}

void SimdRowFfts::run(std::span<const View<const double>> parts, View<std::complex<double>> bins,
                      Stream& stream) {
    check(std::ssize(parts) == split_.ranks, "combine pass: not a part from each rank");
    for (int from = 0; from < split_.ranks; ++from) {
        const View<const double>& part = parts[static_cast<std::size_t>(from)];
        require_host(part, split_.part_size(from, split_.rank),
                     "combine pass: a part of another size");
        require_apart(part, bins);
    }
    require_host(bins, split_.output_points(), "combine pass: not the size of the result");
    const auto work = [this, parts, to = reinterpret_cast<double*>(bins.data())] {
        const auto threads = static_cast<int>(workspaces_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            combine(block_range(split_.cells_of(split_.rank), threads, thread), parts, to,
                    const_cast<RowWorkspace&>(workspaces_[static_cast<std::size_t>(thread)]));
            finish_streaming();
        });
    };
    stream.enqueue(Phase::merge, "combine", work);
}

void SimdRowFfts::find_column(std::int64_t cell, std::span<const View<const double>> parts,
                              std::vector<const SimdComplex*>& places) const {
    for (int rank = 0; rank < split_.ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        places[index] = reinterpret_cast<const SimdComplex*>(parts[index].data()) +
                        cell_index(cell, 0, split_.tiles_of(rank).size());
    }
}

void SimdRowFfts::combine(const Range& cells, std::span<const View<const double>> parts,
                          double* bins, RowWorkspace& work) const {
    const std::int64_t step = 2 * columns_;
    const bool lines = step % lane_count == 0 && std::bit_cast<std::uintptr_t>(bins) % 64 == 0;
    for (std::int64_t cell = cells.begin; cell < cells.end; ++cell) {
        find_column(cell, parts, work.cells);
        find_column(std::min(cell + 1, cells.end - 1), parts, work.next);
        double* target = bins + 2 * cell * lane_count;
        const std::int64_t count = std::min<std::int64_t>(columns_ - cell * lane_count, lane_count);
        if (lines && count == lane_count) {
            transform(
                work, [=](std::int64_t k2, const SimdComplex& value)
                          __attribute__((always_inline)) {
                              const SimdComplex pairs = interleaved(value);
                              store_streaming(pairs.re, target + k2 * step);
                              store_streaming(pairs.im, target + k2 * step + lane_count);
                          });
        } else {
            transform(
                work, [=](std::int64_t k2,
                          const SimdComplex& value) __attribute__((always_inline)) {
                    const SimdComplex pairs = interleaved(value);
                    std::memcpy(target + k2 * step, &pairs,
                                static_cast<std::size_t>(count) * sizeof(std::complex<double>));
                });
        }
    }
}

template <typename StoreRow>
void SimdRowFfts::transform(const RowWorkspace& work, StoreRow store_row) const {
    const Source* sources = sources_.data();
    const SimdComplex* const* cells = work.cells.data();
    const SimdComplex* const* next = work.next.data();
    const auto load = [=](std::int64_t t) __attribute__((always_inline)) {
        const Source source = sources[t];
        prefetch_cell(next[source.rank] + source.tile);
        return cells[source.rank][source.tile];
    };
    if (first_.length() == 1) {
        second_.run(load, store_row, work.stages);
        return;
    }
    const std::int64_t rows = first_.length();
    const std::int64_t columns = second_.length();
    for (std::int64_t b = 0; b < columns; ++b) {
        SimdComplex* target = work.scratch + b;
        const double* factors = factors_.data() + 2 * b * rows;
        const std::int64_t row = scratch_row_;
        first_.run(
            [=](int j) __attribute__((always_inline)) { return load(j * columns + b); },
            [=](int k, const SimdComplex& value)
                __attribute__((always_inline)) { target[k * row] = times(value, factors + 2 * k); },
            work.stages);
    }
    for (std::int64_t ka = 0; ka < rows; ++ka) {
        const SimdComplex* source = work.scratch + ka * scratch_row_;
        second_.run(
            [=](int j) __attribute__((always_inline)) { return source[j]; },
            [=](int k, const SimdComplex& value)
                __attribute__((always_inline)) { store_row(ka + k * rows, value); },
            work.stages);
    }
}

std::optional<TwoLevels> row_levels(const FourStepFft& split) {
    if (SmallTransform::supports(split.tiles))
        return TwoLevels{1, split.tiles};
    return two_levels(split.tiles, 2, 1);
}

}  // namespace

std::unique_ptr<RowFfts> plan_simd_row_ffts(const FourStepFft& split, int threads) {
    const auto levels = row_levels(split);
    if (!levels)
        return nullptr;
    return std::make_unique<SimdRowFfts>(split, *levels, threads);
}

std::optional<Bytes> simd_row_ffts_memory(const FourStepFft& split, int threads) {
    const auto levels = row_levels(split);
    if (!levels)
        return std::nullopt;
    return bytes_of<Source>(split.tiles) + bytes_of<std::complex<double>>(split.tiles) +
           threads * bytes_of<double>(row_workspace_size(*levels)) +
           2 * threads * bytes_of<const SimdComplex*>(split.ranks);
}

}  // namespace quartet::device
