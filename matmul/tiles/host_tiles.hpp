#pragma once

#include <span>

#include "device/stream.hpp"
#include "matmul/native/blocking.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// The host's side of a product that goes through a device's memory: from where copies take tiles
/// of A and B, and to where they bring those of C. Copies are enqueued on the caller's streams.
class HostTiles : public TileReader {
  public:
    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// Before the first step of a run.
    virtual void begin_run() {}
    /// Once for each step of the schedule, in their order: the next fetches are its own.
    virtual void begin_step() {}
    /// Enqueues the copy of a tile of the present step to `to`.
    virtual void fetch(Operand operand, TileIndex tile, device::View<float> to,
                       device::Stream& stream) = 0;
    /// Enqueues the copy of a tile of C from `from`; the host may go on with it later.
    virtual void store(TileIndex tile, device::View<const float> from, device::Stream& stream) = 0;
    /// Waits for what the host itself does, and throws what that has thrown.
    virtual void synchronize() {}
    /// What the last run has moved between the host's memory and files; nothing without files.
    [[nodiscard]] virtual Traffic file_traffic() const { return {}; }
};

}  // namespace quartet::matmul
