#pragma once

#include "matmul/native/scheduled_product.hpp"
#include "matmul/tiles/result_files.hpp"
#include "matmul/tiles/tile_files.hpp"

namespace quartet::matmul {

/// The product of tiles that lie in files, in bounded memory of the host: the tiles are read into
/// slots ahead of the products, and written behind them.
class FileProduct final : public ScheduledProduct {
  public:
    FileProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                const TileFiles& files, device::Device& device);
    /// Removes the rank's files of C, unless they are to be kept.
    ~FileProduct() override;
    FileProduct(const FileProduct&) = delete;
    FileProduct& operator=(const FileProduct&) = delete;

    void set_results(Results results) { results_kept_ = results; }
    /// Makes the page cache forget the rank's tiles of A and B where the files are to be read from
    /// the disk, and removes the results of the run before.
    void prepare() override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;

    /// What the last run has read and written, counted where it was done.
    [[nodiscard]] const Traffic& traffic() const { return traffic_; }
    /// Memory for tiles, of this rank.
    static TileMemory tile_memory(const Problem& problem);

  private:
    void begin_run() override { traffic_ = {}; }
    void bring(const Load& load, device::Stream& stream) override;
    void take(TileIndex target, device::View<float> tile, device::Stream& stream) override;
    [[nodiscard]] device::View<const float> elements(std::int64_t slot, TileIndex tile) override;
    [[nodiscard]] device::View<std::byte> slot(std::int64_t index);

    const TileFiles& files_;
    Results results_kept_ = Results::removed;
    OldResults old_results_ = OldResults::of_any_job;
    Traffic traffic_;
    device::Buffer<std::byte> slots_;
};

}  // namespace quartet::matmul
