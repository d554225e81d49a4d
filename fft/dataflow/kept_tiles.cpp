#include "fft/dataflow/kept_tiles.hpp"

#include <utility>

namespace quartet::fft {

KeptTiles::KeptTiles(bench::Session& session, device::Buffer<double> staging,
                     bench::TileCheckpoint* checkpoint)
    : session_(session),
      checkpoint_(checkpoint),
      track_(checkpoint != nullptr ? &session.trace().track("checkpoint") : nullptr),
      staging_(std::move(staging)) {}

void KeptTiles::read(std::int64_t tile, device::View<std::byte> payload) {
    const Span span(*track_, Phase::checkpoint, "read tile");
    if (staging_.size() == 0) {
        checkpoint_->read(tile, payload.span());
        return;
    }
    const device::View<std::byte> staged = device::as_bytes(staging_.view());
    checkpoint_->read(tile, staged.span());
    copy(staged, payload);
}

void KeptTiles::keep(std::int64_t tile, device::View<const std::byte> payload) {
    if (checkpoint_ == nullptr) {
        return;
    }
    const Span span(*track_, Phase::checkpoint, "tile");
    if (staging_.size() == 0) {
        checkpoint_->keep(tile, payload.span());
        return;
    }
    const device::View<std::byte> staged = device::as_bytes(staging_.view());
    copy(payload, staged);
    checkpoint_->keep(tile, staged.span());
}

void KeptTiles::copy(device::View<const std::byte> from, device::View<std::byte> to) {
    session_.device().copy(from, to, session_.stream());
    session_.stream().synchronize();
}

}  // namespace quartet::fft
