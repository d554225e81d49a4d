#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "matmul/tiles/host_tiles.hpp"
#include "matmul/tiles/result_files.hpp"
#include "matmul/tiles/tile_files.hpp"

namespace quartet::matmul {

/// Tiles in files, staged in page-locked memory. The steps are those of the device's schedule, gone
/// through a second time with the host's own number of slots: since both planners see the same
/// steps, a tile that the device asks for in a step lies in the host's slot of that step, and with
/// more memory on the host than on the device fewer tiles are read than are copied. One stream
/// reads ahead, one writes behind.
class StagedTiles final : public HostTiles {
  public:
    /// `blocking` has the device's rows and columns, and the host's slots and look-ahead.
    StagedTiles(const Problem& problem, const Block& block, const Blocking& blocking,
                const TileFiles& files, device::Device& device);
    /// Removes the rank's files of C, unless they are to be kept.
    ~StagedTiles() override;
    StagedTiles(const StagedTiles&) = delete;
    StagedTiles& operator=(const StagedTiles&) = delete;

    void set_results(Results results) { results_kept_ = results; }
    void prepare() override {
        prepare_files(files_, problem_, block_,
                      std::exchange(old_results_, OldResults::of_this_job));
    }
    void begin_run() override;
    void begin_step() override;
    void fetch(Operand operand, TileIndex tile, device::View<float> to,
               device::Stream& stream) override;
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override;
    void synchronize() override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] Traffic file_traffic() const override { return traffic_; }

    /// Tiles of C that wait to be written, at most.
    static constexpr std::int64_t results_staged = 2;
    /// Of this rank, on the host.
    static Bytes memory(const Problem& problem, std::int64_t slots);

  private:
    struct Slot {
        device::View<std::byte> memory;
        std::unique_ptr<device::Event> read;
        std::unique_ptr<device::Event> copied;
    };
    struct Result {
        device::View<float> memory;
        std::unique_ptr<device::Event> copied;
        std::unique_ptr<device::Event> written;
    };

    Problem problem_;
    Block block_;
    Results results_kept_ = Results::removed;
    OldResults old_results_ = OldResults::of_any_job;
    const TileFiles& files_;
    device::Device& device_;
    Schedule schedule_;
    Step step_;  ///< the present one
    Traffic traffic_;
    device::Buffer<std::byte> slot_memory_;
    device::Buffer<float> result_memory_;
    std::vector<Slot> slots_;
    std::array<Result, results_staged> results_;
    std::size_t next_result_ = 0;
    std::unique_ptr<device::Stream> reading_;
    std::unique_ptr<device::Stream> writing_;
};

}  // namespace quartet::matmul
