#include "matmul/dataflow/device_tiles.hpp"

namespace quartet::matmul {

DeviceTiles::DeviceTiles(const Problem& problem, std::unique_ptr<WorkerTiles> source, Bytes slots,
                         device::Device& device)
    : problem_(problem),
      device_(device),
      memory_(device::allocate<float>(device, floats_in(slots))),
      slots_(slots.value / (2 * problem.tile_bytes()).value),
      source_(std::move(source)),
      copying_(device.make_stream("copy in", device::StreamKind::transfer)) {
    const std::int64_t elements = problem.elements({});
    std::int64_t begin = 0;
    for (Slot& slot : slots_.slots()) {
        slot = {{},
                memory_.view().part(begin, elements),
                memory_.view().part(begin + elements, elements),
                device.make_event(),
                device.make_event()};
        begin += 2 * elements;
    }
}

void DeviceTiles::prepare() {
    slots_.clear();
    copied_ = {};
    source_->prepare();
}

// The source's tiles are released at once: its own streams wait for the copies.
void DeviceTiles::prefetch(const WorkItem& item) {
    Slot& slot = slots_.fill();
    slot.item = item;
    source_->prefetch(item);
    const Tiles tiles = source_->oldest(*copying_);
    copying_->wait(*slot.used);
    copy(tiles.a, slot.a);
    copy(tiles.b, slot.b);
    copying_->record(*slot.filled);
    source_->release(*copying_);
}

void DeviceTiles::copy(device::View<const float> from, device::View<float> to) {
    device_.copy(as_bytes(from), as_bytes(to.part(0, from.size())), *copying_);
    copied_ = copied_ + from.bytes();
}

WorkerTiles::Tiles DeviceTiles::oldest(device::Stream& stream) {
    Slot& slot = slots_.oldest();
    stream.wait(*slot.filled);
    return {slot.item, part_of(slot.a, slot.item.a), part_of(slot.b, slot.item.b)};
}

void DeviceTiles::release(device::Stream& stream) {
    stream.record(*slots_.empty_oldest().used);
}

void DeviceTiles::synchronize() {
    source_->synchronize();
    copying_->synchronize();
}

}  // namespace quartet::matmul
