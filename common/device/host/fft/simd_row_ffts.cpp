#include "device/host/fft/host_ffts.hpp"

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
#include "device/host/simd/streaming_store.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

/// A tile's rank, and its number there.
struct Source {
    std::uint32_t rank;
    std::uint32_t tile;
};

/// One thread's memory for one row FFT.
struct RowWorkspace {
    Buffer<double> memory;
    SimdComplex* stages = nullptr;           ///< of the small transforms
    SimdComplex* scratch = nullptr;          ///< [A][B + 1]: padding, as for the columns
    std::vector<const SimdComplex*> blocks;  ///< by rank: this row's
    std::vector<const SimdComplex*> next;    ///< and the next row's
};

class SimdRowFfts final : public RowFfts {
  public:
    SimdRowFfts(const FourStepFft& shape, const TwoLevels& levels, int threads);

    void run(std::span<const View<const double>> parts, View<std::complex<double>> bins,
             Stream& stream) override;
    [[nodiscard]] std::string description() const override {
        return first_.length() == 1
                   ? fmt::format("{} in lanes", second_.length())
                   : fmt::format("{} x {} in lanes", first_.length(), second_.length());
    }

  private:
    [[nodiscard]] RowWorkspace make_workspace() const;

    void transform_blocks(const Range& blocks, std::span<const View<const double>> parts,
                          double* bins, RowWorkspace& work) const;
    void find_blocks(std::int64_t block, std::span<const View<const double>> parts,
                     std::vector<const SimdComplex*>& addresses) const;
    template <typename StoreRow>
    void transform(const RowWorkspace& work, StoreRow store_row) const;

    FourStepFft shape_;
    std::int64_t columns_;   ///< of the result: k1 of this rank
    SmallTransform first_;   ///< A, 1 if there is one level
    SmallTransform second_;  ///< B
    std::int64_t scratch_row_;
    std::vector<Source> sources_;           ///< by t
    std::vector<double> twiddles_;          ///< [b][ka], re and im: w_T^(b ka)
    std::vector<RowWorkspace> workspaces_;  ///< by thread
};

SimdRowFfts::SimdRowFfts(const FourStepFft& shape, const TwoLevels& levels, int threads)
    : shape_(shape),
      columns_(shape.my_bins().size()),
      first_(levels.first),
      second_(levels.second),
      scratch_row_(levels.second + 1) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
        const auto tiles = static_cast<std::uint32_t>(shape.tiles_of(rank).size());
        for (std::uint32_t tile = 0; tile < tiles; ++tile)
            sources_.push_back({static_cast<std::uint32_t>(rank), tile});
    }
    if (levels.first > 1) {
        const RootsOfUnity roots(shape.tiles);
        for (std::int64_t b = 0; b < levels.second; ++b) {
            for (std::int64_t ka = 0; ka < levels.first; ++ka) {
                const auto root = roots(static_cast<std::uint64_t>(b * ka));
                twiddles_.push_back(root.real());
                twiddles_.push_back(root.imag());
            }
        }
    }
    const auto parts = std::clamp<std::int64_t>(shape.blocks_of(shape.rank), 1, threads);
    for (std::int64_t part = 0; part < parts; ++part)
        workspaces_.push_back(make_workspace());
}

// The size of the workspace in doubles.
std::int64_t row_workspace_size(const TwoLevels& levels) {
    const std::int64_t stages = 2 * std::max(levels.first, levels.second);
    return (stages + levels.first * (levels.second + 1)) * FourStepFft::block_size;
}

RowWorkspace SimdRowFfts::make_workspace() const {
    const std::int64_t stages = std::max(first_.work_size(), second_.work_size());
    const std::int64_t size = row_workspace_size({first_.length(), second_.length()});
    RowWorkspace work;
    work.memory = {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
    work.stages = reinterpret_cast<SimdComplex*>(work.memory.view().data());
    work.scratch = work.stages + stages;
    work.blocks.resize(static_cast<std::size_t>(shape_.ranks));
    work.next.resize(static_cast<std::size_t>(shape_.ranks));
    return work;
}

void SimdRowFfts::run(std::span<const View<const double>> parts, View<std::complex<double>> bins,
                      Stream& stream) {
    check(std::ssize(parts) == shape_.ranks, "row FFTs: not a part from each rank");
    for (int from = 0; from < shape_.ranks; ++from) {
        const View<const double>& part = parts[static_cast<std::size_t>(from)];
        require_host(part, shape_.part_size(from, shape_.rank), "row FFTs: a part of another size");
        require_apart(part, bins);
    }
    require_host(bins, shape_.output_points(), "row FFTs: not the size of the result");
    const auto work = [this, parts, to = reinterpret_cast<double*>(bins.data())] {
        const auto threads = static_cast<int>(workspaces_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            transform_blocks(
                block_range(shape_.blocks_of(shape_.rank), threads, thread), parts, to,
                const_cast<RowWorkspace&>(workspaces_[static_cast<std::size_t>(thread)]));
            finish_streaming();
        });
    };
    stream.enqueue(Phase::merge, "combine", work);
}

void SimdRowFfts::find_blocks(std::int64_t block, std::span<const View<const double>> parts,
                              std::vector<const SimdComplex*>& addresses) const {
    for (int rank = 0; rank < shape_.ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        addresses[index] = reinterpret_cast<const SimdComplex*>(parts[index].data()) +
                           block_index(block, 0, shape_.tiles_of(rank).size());
    }
}

void SimdRowFfts::transform_blocks(const Range& blocks, std::span<const View<const double>> parts,
                                   double* bins, RowWorkspace& work) const {
    const std::int64_t step = 2 * columns_;
    const bool lines = step % simd_width == 0 && std::bit_cast<std::uintptr_t>(bins) % 64 == 0;
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        find_blocks(block, parts, work.blocks);
        find_blocks(std::min(block + 1, blocks.end - 1), parts, work.next);
        double* target = bins + 2 * block * simd_width;
        const std::int64_t count =
            std::min<std::int64_t>(columns_ - block * simd_width, simd_width);
        if (lines && count == simd_width) {
            transform(
                work, [=](std::int64_t k2, const SimdComplex& value)
                          __attribute__((always_inline)) {
                              const SimdComplex pairs = interleaved(value);
                              store_streaming(pairs.re, target + k2 * step);
                              store_streaming(pairs.im, target + k2 * step + simd_width);
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
    const SimdComplex* const* blocks = work.blocks.data();
    const SimdComplex* const* next = work.next.data();
    const auto load = [=](std::int64_t t) __attribute__((always_inline)) {
        const Source source = sources[t];
        prefetch_block(next[source.rank] + source.tile);
        return blocks[source.rank][source.tile];
    };
    if (first_.length() == 1) {
        second_.run(load, store_row, work.stages);
        return;
    }
    const std::int64_t rows = first_.length();
    const std::int64_t columns = second_.length();
    for (std::int64_t b = 0; b < columns; ++b) {
        SimdComplex* target = work.scratch + b;
        const double* twiddles = twiddles_.data() + 2 * b * rows;
        const std::int64_t row = scratch_row_;
        first_.run(
            [=](int j) __attribute__((always_inline)) { return load(j * columns + b); },
            [=](int k, const SimdComplex& value) __attribute__((always_inline)) {
                target[k * row] = times(value, twiddles + std::int64_t{2} * k);
            },
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

std::optional<TwoLevels> row_levels(const FourStepFft& shape) {
    if (SmallTransform::supports(shape.tiles))
        return TwoLevels{1, shape.tiles};
    return two_levels(shape.tiles, 2, 1);
}

}  // namespace

std::unique_ptr<RowFfts> plan_simd_row_ffts(const FourStepFft& shape, int threads) {
    const auto levels = row_levels(shape);
    if (!levels)
        return nullptr;
    return std::make_unique<SimdRowFfts>(shape, *levels, threads);
}

std::optional<Bytes> simd_row_ffts_memory(const FourStepFft& shape, int threads) {
    const auto levels = row_levels(shape);
    if (!levels)
        return std::nullopt;
    return bytes_of<Source>(shape.tiles) + bytes_of<std::complex<double>>(shape.tiles) +
           threads * bytes_of<double>(row_workspace_size(*levels)) +
           std::int64_t{2} * threads * bytes_of<const void*>(shape.ranks);
}

}  // namespace quartet::device
