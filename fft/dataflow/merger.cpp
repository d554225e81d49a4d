#include "fft/dataflow/merger.hpp"

#include <algorithm>
#include <utility>

#include "device/fft_factory.hpp"
#include "fft/numbers.hpp"

namespace quartet::fft {

namespace {

constexpr std::int64_t none = -1;

}  // namespace

Merger::Merger(device::Device& device, const Problem& problem)
    : groups_(device.ffts().plan_partial_row_ffts(problem.split(1, 0))),
      members_(groups_ ? groups_->members() : problem.split(1, 0)),
      result_(device::allocate<Point>(device, problem.points)) {
    const device::FourStepFft summed = groups_ ? groups_->summed() : members_;
    cells_ = device::allocate<double>(device, summed.parts_size());
    parts_ = {cells_.view()};
    scatter_tile_ = device.ffts().plan_scatter_tile(members_);
    row_ffts_ = device.ffts().plan_row_ffts(summed);
    placed_.resize(static_cast<std::size_t>(groups_ ? summed.tiles : 1));
    complete_.reserve(placed_.size());
    blocks_.resize(placed_.size(), none);
    for (std::int64_t block = std::ssize(placed_) - 1; block >= 0; --block)
        free_blocks_.push_back(block);
}

Bytes Merger::memory(const Problem& problem) {
    return bytes_of<double>(problem.split(1, 0).parts_size()) + bytes_of<Point>(problem.points);
}

// Groups' cells are done with before the result needs the place: with groups M is a multiple of a
// cell, so that the cells of all groups are as long as the result. A block that was read last is
// the next to be written: where groups become complete one after another, two of them stay in the
// cache.
device::View<double> Merger::members_of(std::int64_t group) {
    if (!groups_)
        return cells_.view();
    std::int64_t& block = blocks_[static_cast<std::size_t>(group)];
    if (block == none) {
        block = free_blocks_.back();
        free_blocks_.pop_back();
    }
    return numbers(result_.view()).part(block * members_.parts_size(), members_.parts_size());
}

void Merger::place(std::int64_t tile, device::View<const double> cells, device::Stream& stream) {
    const std::int64_t groups = std::ssize(placed_);
    const std::int64_t group = tile % groups;
    scatter_tile_->run(tile / groups, cells, members_of(group), stream);
    if (!groups_)
        return;
    if (++placed_[static_cast<std::size_t>(group)] == members_.tiles)
        complete_.push_back(group);
    // With so many a tile, a group is summed when the next one is complete.
    if (!all_summed())
        sum((members_.cells_of(0) + members_.tiles - 1) / members_.tiles, stream);
}

void Merger::sum(std::int64_t cells, device::Stream& stream) {
    const std::int64_t group = complete_[static_cast<std::size_t>(summed_groups_)];
    const std::int64_t all = members_.cells_of(0);
    const Range range{summed_cells_, std::min(summed_cells_ + cells, all)};
    groups_->run(group, range, members_of(group), cells_.view(), stream);
    summed_cells_ = range.end % all;
    if (range.end == all) {
        ++summed_groups_;
        free_blocks_.push_back(std::exchange(blocks_[static_cast<std::size_t>(group)], none));
    }
}

void Merger::finish(device::Stream& stream) {
    while (!all_summed())
        sum(members_.cells_of(0), stream);
    row_ffts_->run(parts_, result_.view(), stream);
    std::ranges::fill(placed_, 0);
    complete_.clear();
    summed_groups_ = 0;
}

std::vector<std::int64_t> merge_order(device::Device& device, const Problem& problem,
                                      const Range& mine) {
    const auto pass = device.ffts().plan_partial_row_ffts(problem.split(1, 0));
    const std::int64_t groups = pass ? pass->summed().tiles : 1;
    std::vector<std::int64_t> tiles;
    for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
        tiles.push_back(tile);
    std::ranges::stable_sort(tiles, {}, [=](std::int64_t tile) { return tile % groups; });
    return tiles;
}

}  // namespace quartet::fft
