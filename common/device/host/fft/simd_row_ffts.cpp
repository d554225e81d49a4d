#include "device/host/fft/host_ffts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/small_fft_plan.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

/// The size of a thread's memory in doubles.
std::int64_t workspace_size(const TwoLevels& levels, std::int64_t lanes) {
    return 2 * lanes *
           (2 * std::max(levels.first, levels.second) + levels.first * (levels.second + 1));
}

/// One thread's memory for row FFTs.
struct RowWorkspace {
    RowWorkspace(const TwoLevels& levels, std::int64_t lanes, int ranks)
        : memory(allocate_host_memory(bytes_of<double>(workspace_size(levels, lanes)),
                                      MemoryKind::host, 1),
                 workspace_size(levels, lanes)),
          block(static_cast<std::size_t>(ranks)),
          next(static_cast<std::size_t>(ranks)) {
        double* stages = memory.view().data();
        work = {.stages = stages,
                .scratch = stages + 4 * lanes * std::max(levels.first, levels.second),
                .block = block.data(),
                .next = next.data()};
    }

    Buffer<double> memory;
    std::vector<const double*> block;  ///< by rank: this row's
    std::vector<const double*> next;   ///< and the next row's
    RowWork work{};
};

class SimdRowFfts final : public RowFfts {
  public:
    SimdRowFfts(const FourStepFft& shape, const TwoLevels& levels, const HostFftSettings& settings);

    void run(std::span<const View<const double>> parts, View<std::complex<double>> bins,
             Stream& stream) override;
    [[nodiscard]] std::string description() const override {
        return first_.length() == 1 ? fmt::format("{} in {} lanes", second_.length(), loops_.lanes)
                                    : fmt::format("{} x {} in {} lanes", first_.length(),
                                                  second_.length(), loops_.lanes);
    }

  private:
    void transform_blocks(const Range& blocks, std::span<const View<const double>> parts,
                          double* bins, RowWorkspace& workspace) const;
    void find_blocks(std::int64_t block, std::span<const View<const double>> parts,
                     std::vector<const double*>& addresses) const;

    FourStepFft shape_;
    const Loops& loops_;
    Bytes caches_;
    std::int64_t columns_;                 ///< of the result: k1 of this rank
    SmallFftPlan first_;                   ///< A, 1 if there is one level
    SmallFftPlan second_;                  ///< B
    std::vector<TileSource> sources_;      ///< by t
    std::vector<double> twiddles_;         ///< [b][ka], re and im: w_T^(b ka)
    std::deque<RowWorkspace> workspaces_;  ///< by thread; they point to themselves
};

SimdRowFfts::SimdRowFfts(const FourStepFft& shape, const TwoLevels& levels,
                         const HostFftSettings& settings)
    : shape_(shape),
      loops_(settings.loops),
      caches_(settings.caches),
      columns_(shape.my_bins().size()),
      first_(levels.first, settings.loops.registers),
      second_(levels.second, settings.loops.registers) {
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
    const auto parts = std::clamp<std::int64_t>(shape.blocks_of(shape.rank), 1, settings.threads);
    for (std::int64_t part = 0; part < parts; ++part)
        workspaces_.emplace_back(levels, settings.loops.lanes, shape.ranks);
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
            loops_.ffts.finish_past_caches();
        });
    };
    stream.enqueue(Phase::merge, "combine", work);
}

void SimdRowFfts::find_blocks(std::int64_t block, std::span<const View<const double>> parts,
                              std::vector<const double*>& addresses) const {
    for (int rank = 0; rank < shape_.ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        addresses[index] =
            parts[index].data() +
            block_index(block, 0, shape_.tiles_of(rank).size()) * FourStepFft::block_size;
    }
}

void SimdRowFfts::transform_blocks(const Range& blocks, std::span<const View<const double>> parts,
                                   double* bins, RowWorkspace& workspace) const {
    constexpr std::int64_t bins_of_block = FourStepFft::block_bins;
    const bool lines = 2 * columns_ % bins_of_block == 0 &&  // rows begin with cache lines
                       std::bit_cast<std::uintptr_t>(bins) % 64 == 0;
    const RowFft fft{first_.fft(),     second_.fft(), sources_.data(),
                     twiddles_.data(), columns_,      lines && exceeds(shape_, caches_)};
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        find_blocks(block, parts, workspace.block);
        find_blocks(std::min(block + 1, blocks.end - 1), parts, workspace.next);
        const std::int64_t first = block * bins_of_block;
        loops_.ffts.rows(fft, workspace.work, std::min(columns_ - first, bins_of_block),
                         bins + 2 * first);
    }
}

std::optional<TwoLevels> row_levels(const FourStepFft& shape, const Loops& loops) {
    if (SmallFftPlan::supports(shape.tiles))
        return TwoLevels{1, shape.tiles};
    return two_levels(shape.tiles, 2, 1, loops.registers);
}

}  // namespace

std::unique_ptr<RowFfts> plan_simd_row_ffts(const FourStepFft& shape,
                                            const HostFftSettings& settings) {
    const auto levels = row_levels(shape, settings.loops);
    if (!levels)
        return nullptr;
    return std::make_unique<SimdRowFfts>(shape, *levels, settings);
}

std::optional<Bytes> simd_row_ffts_memory(const FourStepFft& shape,
                                          const HostFftSettings& settings) {
    const auto levels = row_levels(shape, settings.loops);
    if (!levels)
        return std::nullopt;
    return bytes_of<TileSource>(shape.tiles) + bytes_of<std::complex<double>>(shape.tiles) +
           settings.threads * bytes_of<double>(workspace_size(*levels, settings.loops.lanes)) +
           std::int64_t{2} * settings.threads * bytes_of<const void*>(shape.ranks);
}

}  // namespace quartet::device
