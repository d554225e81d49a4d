#pragma once

#include "bench/checkpoint/tile_checkpoint.hpp"
#include "device/stream.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// The host's side of a product that goes through a GPU's memory: where tiles of A and B are copied
/// from, and tiles of C to. Copies are enqueued on the caller's streams.
class HostTiles : public RankTiles {
  public:
    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// Before the first product of a run.
    virtual void begin_run() {}
    /// Once for each product of the schedule, in their order: the fetches that follow are its own.
    virtual void begin_product() {}
    /// Enqueues the copy of a tile of the present product to `to`.
    virtual void fetch(Operand operand, TileIndex tile, device::View<float> to,
                       device::Stream& stream) = 0;
    /// Enqueues the copy of a tile of C from `from`; the host may work on it later.
    virtual void store(TileIndex tile, device::View<const float> from, device::Stream& stream) = 0;
    /// Once all tiles of C that the GPU holds have gone to store().
    virtual void end_part() {}
    /// Where C is kept meanwhile; null: nowhere.
    [[nodiscard]] virtual bench::TileCheckpoint* checkpoint() { return nullptr; }
    /// Waits for the host's own work, and throws what that has thrown.
    virtual void synchronize() {}
    /// Whether tiles can be fetched and stored between runs, too.
    [[nodiscard]] virtual bool in_memory() const = 0;
    /// Product::input_memory().
    [[nodiscard]] virtual device::View<const std::byte> input_memory() const { return {}; }
    /// The figures of a run: what the host itself has moved. Collective over `world`.
    virtual void add_details(bench::Details& /*details*/,
                             const comm::Communicator& /*world*/) const {}
};

}  // namespace quartet::matmul
