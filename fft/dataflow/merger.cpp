#include "fft/dataflow/merger.hpp"

#include <algorithm>
#include <utility>

#include "device/fft_factory.hpp"
#include "fft/problem/numbers.hpp"

namespace quartet::fft {

namespace {

/// The buffers of both mergers, and the row FFTs that end the work.
class RowMerger : public Merger {
  public:
    RowMerger(device::Device& device, MergerBuffers buffers, const device::FourStepFft& rows,
              const device::FourStepFft& scattered)
        : row_input_(std::move(buffers.row_input)),
          result_(std::move(buffers.result)),
          parts_{std::as_const(row_input_).view()},
          scatter_tile_(device.ffts().plan_scatter_tile(scattered)),
          row_ffts_(device.ffts().plan_row_ffts(rows)) {}

    void finish(device::Stream& stream) override { row_ffts_->run(parts_, result_.view(), stream); }
    [[nodiscard]] device::View<Point> result() override { return result_.view(); }
    [[nodiscard]] device::View<const double> row_input() const override {
        return row_input_.view();
    }

  protected:
    device::Buffer<double> row_input_;
    device::Buffer<Point> result_;
    std::vector<device::View<const double>> parts_;
    std::unique_ptr<device::ScatterTile> scatter_tile_;
    std::unique_ptr<device::RowFfts> row_ffts_;
};

/// All row FFTs at the end.
class MergerAtTheEnd final : public RowMerger {
  public:
    MergerAtTheEnd(device::Device& device, MergerBuffers buffers, const Problem& problem)
        : RowMerger(device, std::move(buffers), problem.shape(1, 0), problem.shape(1, 0)) {}

    void add(std::int64_t tile, device::View<const double> blocks,
             device::Stream& stream) override {
        scatter_tile_->run(tile, blocks, row_input_.view(), stream);
    }
};

/// Partial row FFTs of a group while the tiles of the next one arrive, a few blocks with each tile.
/// After the last tile, its group and the FFTs over the groups remain.
class GroupMerger final : public RowMerger {
  public:
    GroupMerger(device::Device& device, MergerBuffers buffers,
                std::unique_ptr<device::PartialRowFfts> partial_row_ffts);

    void add(std::int64_t tile, device::View<const double> blocks, device::Stream& stream) override;
    void finish(device::Stream& stream) override;

  private:
    static constexpr std::int64_t none = -1;

    [[nodiscard]] device::View<double> members_of(std::int64_t group);
    [[nodiscard]] bool all_summed() const { return summed_groups_ == std::ssize(complete_); }
    void sum(std::int64_t blocks, device::Stream& stream);

    std::unique_ptr<device::PartialRowFfts> partial_row_ffts_;
    device::FourStepFft members_;
    std::vector<std::int64_t> arrived_;  ///< tiles, by group
    std::vector<std::int64_t> slots_;    ///< by group: where its blocks are, or none
    std::vector<std::int64_t> free_slots_;
    std::vector<std::int64_t> complete_;  ///< groups, in the order in which they became so
    std::int64_t summed_groups_ = 0;      ///< of these
    std::int64_t summed_blocks_ = 0;      ///< of the next one
};

GroupMerger::GroupMerger(device::Device& device, MergerBuffers buffers,
                         std::unique_ptr<device::PartialRowFfts> partial_row_ffts)
    : RowMerger(device, std::move(buffers), partial_row_ffts->summed(),
                partial_row_ffts->members()),
      partial_row_ffts_(std::move(partial_row_ffts)),
      members_(partial_row_ffts_->members()) {
    arrived_.resize(static_cast<std::size_t>(partial_row_ffts_->summed().tiles));
    complete_.reserve(arrived_.size());
    slots_.resize(arrived_.size(), none);
    for (std::int64_t slot = std::ssize(arrived_) - 1; slot >= 0; --slot) {
        free_slots_.push_back(slot);
    }
}

// The groups' blocks lie in the result's memory, which is not needed before finish(). They fit
// exactly, since M is a multiple of a block if there are partial row FFTs. The slot that was
// read last is the next to be written: where groups become complete one after another, two slots
// stay in the cache.
device::View<double> GroupMerger::members_of(std::int64_t group) {
    std::int64_t& slot = slots_[static_cast<std::size_t>(group)];
    if (slot == none) {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    return numbers(result_.view()).part(slot * members_.parts_size(), members_.parts_size());
}

void GroupMerger::add(std::int64_t tile, device::View<const double> blocks,
                      device::Stream& stream) {
    const std::int64_t groups = std::ssize(arrived_);
    const std::int64_t group = tile % groups;
    scatter_tile_->run(tile / groups, blocks, members_of(group), stream);
    if (++arrived_[static_cast<std::size_t>(group)] == members_.tiles) {
        complete_.push_back(group);
    }
    // At this rate a group is done when the next one is complete.
    if (!all_summed()) {
        sum((members_.blocks_of(0) + members_.tiles - 1) / members_.tiles, stream);
    }
}

void GroupMerger::sum(std::int64_t blocks, device::Stream& stream) {
    const std::int64_t group = complete_[static_cast<std::size_t>(summed_groups_)];
    const std::int64_t all = members_.blocks_of(0);
    const Range range{summed_blocks_, std::min(summed_blocks_ + blocks, all)};
    partial_row_ffts_->run(group, range, members_of(group), row_input_.view(), stream);
    summed_blocks_ = range.end % all;
    if (range.end == all) {
        ++summed_groups_;
        free_slots_.push_back(std::exchange(slots_[static_cast<std::size_t>(group)], none));
    }
}

void GroupMerger::finish(device::Stream& stream) {
    while (!all_summed()) {
        sum(members_.blocks_of(0), stream);
    }
    RowMerger::finish(stream);
    std::ranges::fill(arrived_, 0);
    complete_.clear();
    summed_groups_ = 0;
}

}  // namespace

MergerBuffers::MergerBuffers(bench::Arena& arena, const Problem& problem, bench::Room room)
    : row_input(arena.make<double>(problem.shape(1, 0).parts_size(), room)),
      result(arena.make<Point>(problem.points, room)) {}

std::unique_ptr<Merger> make_merger(device::Device& device, const Problem& problem) {
    bench::Arena arena(device);
    MergerBuffers buffers(arena, problem);
    auto partial_row_ffts = device.ffts().plan_partial_row_ffts(problem.shape(1, 0));
    if (partial_row_ffts) {
        return std::make_unique<GroupMerger>(device, std::move(buffers),
                                             std::move(partial_row_ffts));
    }
    return std::make_unique<MergerAtTheEnd>(device, std::move(buffers), problem);
}

std::vector<std::int64_t> merge_order(device::Device& device, const Problem& problem,
                                      const Range& mine) {
    const auto partial_row_ffts = device.ffts().plan_partial_row_ffts(problem.shape(1, 0));
    const std::int64_t groups = partial_row_ffts ? partial_row_ffts->summed().tiles : 1;
    std::vector<std::int64_t> tiles;
    for (std::int64_t tile = mine.begin; tile < mine.end; ++tile) {
        tiles.push_back(tile);
    }
    std::ranges::stable_sort(tiles, {}, [=](std::int64_t tile) { return tile % groups; });
    return tiles;
}

}  // namespace quartet::fft
