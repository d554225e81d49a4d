#include "matmul/dataflow/file_tiles.hpp"

#include "core/check.hpp"

namespace quartet::matmul {

FileTiles::FileTiles(const Problem& problem, const TileFiles& files, Bytes slots,
                     device::Device& device)
    : problem_(problem),
      files_(files),
      tiles_(problem, slots, device, device::MemoryKind::pinned),
      slots_(static_cast<std::size_t>(tiles_.size() / 2)),
      reading_(device.make_stream("read", device::StreamKind::transfer)) {
    for (Slot& slot : slots_) {
        slot = {{}, device.make_event(), device.make_event()};
    }
}

void FileTiles::prepare() {
    begun_ = 0;
    done_ = 0;
    read_ = {};
    if (files_.cache() != FileCache::drop) {
        return;
    }
    for (std::int64_t row = 0; row < problem_.tiles(); ++row) {
        for (std::int64_t column = 0; column < problem_.tiles(); ++column) {
            files_.forget("A", {row, column});
            files_.forget("B", {row, column});
        }
    }
}

void FileTiles::prefetch(const WorkItem& item) {
    check(!full(), "more tiles are to be read than there is room for");
    Slot& slot = this->slot(begun_);
    slot.item = item;
    reading_->wait(*slot.used);
    read_tile(Operand::a, item.a);
    read_tile(Operand::b, item.b);
    reading_->record(*slot.loaded);
    ++begun_;
}

void FileTiles::read_tile(Operand operand, TileIndex tile) {
    const auto target = tiles_.slot(file_slot(begun_, operand));
    reading_->enqueue(Phase::read, "tile", [this, operand, tile, target] {
        const auto elements = files_.read(name(operand), tile, target.span());
        read_ = read_ + Bytes{std::ssize(std::as_bytes(elements))};
    });
}

WorkerTiles::Tiles FileTiles::oldest(device::Stream& stream) {
    check(!empty(), "no tiles are being read");
    Slot& slot = this->slot(done_);
    stream.wait(*slot.loaded);
    return {slot.item, tiles_.elements(file_slot(done_, Operand::a), slot.item.a),
            tiles_.elements(file_slot(done_, Operand::b), slot.item.b)};
}

void FileTiles::release(device::Stream& stream) {
    stream.record(*slot(done_).used);
    ++done_;
}

}  // namespace quartet::matmul
