#include "device/host/fft/host_ffts.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/small_fft_plan.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr double wanted_members = 32;

class SimdPartialRowFfts final : public PartialRowFfts {
  public:
    SimdPartialRowFfts(const FourStepFft& shape, std::int64_t groups,
                       const HostFftSettings& settings);

    [[nodiscard]] FourStepFft members() const override { return members_; }
    [[nodiscard]] FourStepFft summed() const override { return summed_; }
    void run(std::int64_t group, const Range& blocks, View<const double> members,
             View<double> summed, Stream& stream) override;

  private:
    void sum(std::int64_t group, const Range& blocks, const double* members, double* summed,
             double* memory) const;

    FourStepFft members_;
    FourStepFft summed_;
    RootsOfUnity twiddles_;  ///< powers of w_N
    SmallFftPlan fft_;
    const Loops& loops_;
    std::vector<double> row_twiddles_;    ///< [g][k2], re and im: w_T^(g k2)
    std::vector<Buffer<double>> memory_;  ///< by thread: of the stages, and halves
};

SimdPartialRowFfts::SimdPartialRowFfts(const FourStepFft& shape, std::int64_t groups,
                                       const HostFftSettings& settings)
    : members_{shape.tiles / groups, shape.length, 1, 0},
      summed_{groups, shape.points() / groups, 1, 0},
      twiddles_(shape.points()),
      fft_(members_.tiles, settings.loops.registers),
      loops_(settings.loops) {
    const RootsOfUnity row_roots(shape.tiles);
    for (std::int64_t group = 0; group < groups; ++group) {
        for (std::int64_t k2 = 0; k2 < members_.tiles; ++k2) {
            const auto root = row_roots(static_cast<std::uint64_t>(group * k2));
            row_twiddles_.push_back(root.real());
            row_twiddles_.push_back(root.imag());
        }
    }
    const std::int64_t size = std::int64_t{6} * loops_.lanes * members_.tiles;
    for (int thread = 0; thread < settings.threads; ++thread)
        memory_.emplace_back(allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1),
                             size);
}

void SimdPartialRowFfts::run(std::int64_t group, const Range& blocks, View<const double> members,
                             View<double> summed, Stream& stream) {
    check(group >= 0 && group < summed_.tiles, "partial row FFTs: no such group");
    check(blocks.begin >= 0 && blocks.end <= members_.blocks_of(0),
          "partial row FFTs: no such blocks");
    require_host(members, members_.parts_size(),
                 "partial row FFTs: another size than a group's blocks");
    require_host(summed, summed_.parts_size(),
                 "partial row FFTs: another size than all groups' blocks");
    require_apart(members, summed);
    const auto work = [this, group, blocks, to = summed.data(), from = members.data()] {
        const auto threads = static_cast<int>(memory_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            const Range mine = block_range(blocks.size(), threads, thread);
            auto& memory = const_cast<Buffer<double>&>(memory_[static_cast<std::size_t>(thread)]);
            sum(group, {blocks.begin + mine.begin, blocks.begin + mine.end}, from, to,
                memory.view().data());
            loops_.ffts.finish_past_caches();
        });
    };
    stream.enqueue(Phase::merge, "group", work);
}

// The twiddle of bin k1 + M k2 is w_N^(k1 g) w_T^(g k2).
void SimdPartialRowFfts::sum(std::int64_t group, const Range& blocks, const double* members,
                             double* summed, double* memory) const {
    constexpr std::int64_t lanes = FourStepFft::block_bins;
    const auto g = static_cast<std::uint64_t>(group);
    const double* rows = row_twiddles_.data() + 2 * group * members_.tiles;
    const std::int64_t step = members_.blocks_of(0) * summed_.tiles * FourStepFft::block_size;
    RowFft fft{};
    fft.second = fft_.fft();
    RowWork work{};
    work.stages = memory;
    work.halves = memory + std::int64_t{4} * loops_.lanes * members_.tiles;
    alignas(64) double twiddle[FourStepFft::block_size];
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const auto root = twiddles_(g * static_cast<std::uint64_t>(block * lanes + lane));
            twiddle[lane] = root.real();
            twiddle[lanes + lane] = root.imag();
        }
        const double* source =
            members + block_index(block, 0, members_.tiles) * FourStepFft::block_size;
        work.block = &source;
        loops_.ffts.partial_rows(
            fft, work, twiddle, rows,
            summed + block_index(block, group, summed_.tiles) * FourStepFft::block_size, step);
    }
}

std::optional<std::int64_t> groups_of(const FourStepFft& shape) {
    if (shape.ranks != 1 || shape.length % FourStepFft::block_bins != 0)
        return std::nullopt;
    std::optional<std::int64_t> best;
    const auto distance = [&](std::int64_t groups) {
        return std::abs(std::log2(static_cast<double>(shape.tiles) / static_cast<double>(groups) /
                                  wanted_members));
    };
    for (std::int64_t groups = 2; groups <= SmallFftPlan::longest; ++groups) {
        if (shape.tiles % groups == 0 && shape.tiles > groups && SmallFftPlan::supports(groups) &&
            SmallFftPlan::supports(shape.tiles / groups) &&
            (!best || distance(groups) < distance(*best)))
            best = groups;
    }
    return best;
}

}  // namespace

std::unique_ptr<PartialRowFfts> plan_simd_partial_row_ffts(const FourStepFft& shape,
                                                           const HostFftSettings& settings) {
    require_valid(shape);
    const auto groups = groups_of(shape);
    return groups ? std::make_unique<SimdPartialRowFfts>(shape, *groups, settings) : nullptr;
}

}  // namespace quartet::device
