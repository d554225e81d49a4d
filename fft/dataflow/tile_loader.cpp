#include "fft/dataflow/tile_loader.hpp"

namespace quartet::fft {

TileLoader::TileLoader(bench::Session& session, TileReader& reader, device::View<Point> input)
    : session_(session), reader_(reader), input_(input) {
    if (input.kind() != device::MemoryKind::device) {
        return;
    }
    device::Device& device = session.device();
    reading_ = device.make_stream("reading", device::StreamKind::transfer);
    for (Place& place : places_) {
        place.points =
            device::allocate<Point>(device, reader_.length(), device::MemoryKind::pinned);
        place.read = device.make_event();
        place.copied = device.make_event();
    }
}

void TileLoader::load() {
    if (reading_) {
        load_through_places();
    } else {
        session_.stream().enqueue(Phase::read, "tiles", [this] { reader_.read(input_.span()); });
    }
}

void TileLoader::load_through_places() {
    device::Stream& stream = session_.stream();
    for (std::int64_t tile = 0; tile < reader_.tiles(); ++tile) {
        Place& place = places_[static_cast<std::size_t>(tile) % places_.size()];
        reading_->wait(*place.copied);
        reading_->enqueue(Phase::read, "tile", [this, tile, to = place.points.view()] {
            reader_.read_tile(tile, to.span());
        });
        reading_->record(*place.read);
        stream.wait(*place.read);
        session_.device().copy(
            device::as_bytes(device::View<const Point>(place.points.view())),
            device::as_bytes(input_.part(tile * reader_.length(), reader_.length())), stream);
        stream.record(*place.copied);
    }
    // Waiting for its events does not tell whether a file could be read.
    reading_->synchronize();
}

Bytes TileLoader::memory(std::int64_t length, device::MemoryKind kind) {
    return kind == device::MemoryKind::device ? 2 * bytes_of<Point>(length) : Bytes{0};
}

}  // namespace quartet::fft
