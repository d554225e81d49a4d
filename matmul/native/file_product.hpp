#pragma once

#include "matmul/native/file_plan.hpp"
#include "matmul/native/scheduled_product.hpp"
#include "matmul/tiles/file_slots.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

/// The product of tiles that lie in files, in bounded memory of the host: tiles are read into slots
/// ahead of the products, and written behind them.
class FileProduct final : public ScheduledProduct {
  public:
    /// Allocates plan.buffers. `device` is borrowed.
    FileProduct(const Problem& problem, const Block& block, const FilePlan& plan,
                ProductFiles files, Results results, device::Device& device);
    /// Removes the rank's files of C, unless results are kept.
    ~FileProduct() override;
    FileProduct(const FileProduct&) = delete;
    FileProduct& operator=(const FileProduct&) = delete;

    /// Removes the results of the run before, but for what was taken over. With --cache drop the
    /// page cache forgets the rank's tiles of A and B.
    void prepare() override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// What the last run has read and written, counted where it was done.
    [[nodiscard]] const Traffic& traffic() const { return traffic_; }
    /// What one tile takes in memory.
    static TileMemory tile_memory(const Problem& problem);

  private:
    void begin_run() override { traffic_ = {}; }
    void fetch(const Prefetch& prefetch, device::Stream& stream) override;
    void store(TileIndex target, device::View<float> tile, device::Stream& stream) override;
    void end_part(device::Stream& stream) override { list_kept(checkpoint(), stream); }
    [[nodiscard]] device::View<const float> elements(std::int64_t slot, TileIndex tile) override {
        return slots_.elements(slot, tile);
    }

    FilePlan plan_;
    ProductFiles files_;
    Results results_;
    OldResults old_results_ = OldResults::of_any_job;
    Traffic traffic_;
    FileSlots slots_;
};

}  // namespace quartet::matmul
