#pragma once

#include "bench/checkpoint/tile_checkpoint.hpp"
#include "bench/session/session.hpp"
#include "device/memory.hpp"

namespace quartet::fft {

/// A worker's transformed tiles in a checkpoint. Without one it has none and keeps none.
class KeptTiles {
  public:
    /// The checkpoint is borrowed; it may be null. Where payloads lie on a GPU, `staging` has room
    /// for one.
    KeptTiles(bench::Session& session, device::Buffer<double> staging,
              bench::TileCheckpoint* checkpoint);

    /// Whether a tile was taken over.
    [[nodiscard]] bool has(std::int64_t tile) const {
        return checkpoint_ != nullptr && checkpoint_->has(tile);
    }
    /// Brings a tile that was taken over to a payload. Throws Failure.
    void read(std::int64_t tile, device::View<std::byte> payload);
    /// Keeps a payload that is complete. Throws Failure.
    void keep(std::int64_t tile, device::View<const std::byte> payload);
    /// Whether any rank was asked to stop.
    [[nodiscard]] bool wants_stop() { return checkpoint_ != nullptr && checkpoint_->wants_stop(); }

  private:
    void copy(device::View<const std::byte> from, device::View<std::byte> to);

    bench::Session& session_;
    bench::TileCheckpoint* checkpoint_;
    Track* track_;  ///< null without a checkpoint
    device::Buffer<double> staging_;
};

}  // namespace quartet::fft
