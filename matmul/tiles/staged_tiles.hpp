#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "matmul/native/file_plan.hpp"
#include "matmul/tiles/file_slots.hpp"
#include "matmul/tiles/host_tiles.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

/// Tiles in files, staged in page-locked memory. The host goes through the GPU's schedule a second
/// time, with its own number of slots. Both have the same products in the same order: a tile that
/// the GPU asks for lies in the host's slot of that product. With more memory on the host than on
/// the GPU, fewer tiles are read than copied. One stream reads ahead, one writes behind.
class StagedTiles final : public HostTiles {
  public:
    /// `plan` has the GPU's rows and columns, and the host's slots and look-ahead. Allocates
    /// plan.buffers. `device` is borrowed.
    StagedTiles(const Problem& problem, const Block& block, const FilePlan& plan,
                ProductFiles files, Results results, device::Device& device);
    /// Removes the rank's files of C, unless results are kept.
    ~StagedTiles() override;
    StagedTiles(const StagedTiles&) = delete;
    StagedTiles& operator=(const StagedTiles&) = delete;

    /// Page-locked memory of this rank.
    static TileBuffers buffers(const Problem& problem, std::int64_t slots);

    void prepare() override {
        prepare_files(*files_.tiles, problem_, block_,
                      std::exchange(old_results_, OldResults::of_this_job));
        write_taken_over(files_, problem_, block_);
    }
    void begin_run() override;
    void begin_product() override;
    void fetch(Operand operand, TileIndex tile, device::View<float> to,
               device::Stream& stream) override;
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override;
    void end_part() override { list_kept(files_.checkpoint, *writing_); }
    [[nodiscard]] bench::TileCheckpoint* checkpoint() override { return files_.checkpoint; }
    void synchronize() override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bool in_memory() const override { return false; }
    void add_details(bench::Details& details, const comm::Communicator& world) const override;

    /// What the last run has read and written.
    [[nodiscard]] const Traffic& traffic() const { return traffic_; }

  private:
    struct Slot {
        std::unique_ptr<device::Event> read;
        std::unique_ptr<device::Event> copied;
    };
    struct ResultSlot {
        device::View<float> memory;
        std::unique_ptr<device::Event> copied;
        std::unique_ptr<device::Event> written;
    };
    /// Tiles of C that wait to be written, at most.
    static constexpr std::int64_t results_staged = 2;

    Problem problem_;
    Block block_;
    FilePlan plan_;
    ProductFiles files_;
    Results results_;
    OldResults old_results_ = OldResults::of_any_job;
    device::Device& device_;
    TileSchedule schedule_;
    TileProduct product_;  ///< the present one
    Traffic traffic_;
    FileSlots slot_memory_;
    device::Buffer<float> result_memory_;
    std::vector<Slot> slots_;
    std::array<ResultSlot, results_staged> result_slots_;
    std::size_t next_result_ = 0;
    std::unique_ptr<device::Stream> reading_;
    std::unique_ptr<device::Stream> writing_;
};

}  // namespace quartet::matmul
