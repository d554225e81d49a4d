#include "fft/problem/tile_loader.hpp"

namespace quartet::fft {

TileLoader::TileLoader(bench::Session& session, const Problem& problem, const Range& mine,
                       const bench::DataOptions& data)
    : session_(session),
      reader_(tile_folder(problem, session.options().seed, data), problem, mine, data),
      reading_(session.device().make_stream("reading", device::StreamKind::transfer)) {
    bench::Arena arena(session.device());
    staging_ = staging(arena, problem.length(), session.device().memory_kind());
    const std::int64_t length = staging_.size() / slots;
    for (std::int64_t number = 0; number < slots; ++number) {
        slot(number) = {staging_.view().part(number * length, length),
                        session.device().make_event(), session.device().make_event()};
    }
}

device::Buffer<Point> TileLoader::staging(bench::Arena& arena, std::int64_t length,
                                          device::MemoryKind kind) {
    return arena.make<Point>(kind == device::MemoryKind::device ? slots * length : 0,
                             bench::Room::host);
}

void TileLoader::begin(std::int64_t number, std::int64_t tile, device::View<Point> place) {
    Slot& mine = slot(number);
    const auto target = mine.points.size() > 0 ? mine.points : place;
    reading_->wait(*mine.copied);
    reading_->enqueue(Phase::read, "tile",
                      [this, tile, target] { reader_.read_tile(tile, target.span()); });
    reading_->record(*mine.read);
}

void TileLoader::bring(std::int64_t number, device::View<Point> place) {
    Slot& mine = slot(number);
    device::Stream& stream = session_.stream();
    stream.wait(*mine.read);
    if (mine.points.size() > 0) {
        session_.device().copy(device::as_bytes(device::View<const Point>(mine.points)),
                               device::as_bytes(place), stream);
        stream.record(*mine.copied);
    }
}

}  // namespace quartet::fft
