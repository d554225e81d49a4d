#include "matmul/dataflow/file_tiles.hpp"

namespace quartet::matmul {

FileTiles::FileTiles(const Problem& problem, const TileFiles& files, Bytes slots,
                     device::Device& device)
    : problem_(problem),
      files_(files),
      tiles_(problem, slots, device, device::MemoryKind::pinned),
      slots_(tiles_.size() / 2),
      reading_(device.make_stream("read", device::StreamKind::transfer)) {
    std::int64_t first = 0;
    for (Slot& slot : slots_.slots()) {
        slot = {first, {}, device.make_event(), device.make_event()};
        first += 2;
    }
}

void FileTiles::prepare() {
    slots_.clear();
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
    Slot& slot = slots_.fill();
    slot.item = item;
    reading_->wait(*slot.used);
    read_tile(Operand::a, item.a, slot.first);
    read_tile(Operand::b, item.b, slot.first + 1);
    reading_->record(*slot.loaded);
}

void FileTiles::read_tile(Operand operand, TileIndex tile, std::int64_t file_slot) {
    const auto target = tiles_.slot(file_slot);
    reading_->enqueue(Phase::read, "tile", [this, operand, tile, target] {
        const auto elements = files_.read(name(operand), tile, target.span());
        read_ = read_ + Bytes{std::ssize(std::as_bytes(elements))};
    });
}

WorkerTiles::Tiles FileTiles::oldest(device::Stream& stream) {
    Slot& slot = slots_.oldest();
    stream.wait(*slot.loaded);
    return {slot.item, tiles_.elements(slot.first, slot.item.a),
            tiles_.elements(slot.first + 1, slot.item.b)};
}

void FileTiles::release(device::Stream& stream) {
    stream.record(*slots_.empty_oldest().used);
}

}  // namespace quartet::matmul
