#include "matmul/native/streamed_product.hpp"

namespace quartet::matmul {

StreamedProduct::StreamedProduct(const Problem& problem, const Block& block,
                                 const Blocking& blocking, std::unique_ptr<HostTiles> tiles,
                                 device::Device& device)
    : ScheduledProduct(problem, block, blocking, device, {"copy in", "copy out"}),
      tiles_(std::move(tiles)),
      slots_(device::allocate<float>(device, blocking.slots * problem.elements({}))) {}

TileMemory StreamedProduct::tile_memory(const Problem& problem) {
    return {.slot = problem.tile_bytes(), .result = problem.tile_bytes()};
}

void StreamedProduct::begin_run() {
    copied_ = {};
    tiles_->begin_run();
}

void StreamedProduct::bring(const Load& load, device::Stream& stream) {
    const auto target = slot(load.slot, load.tile);
    tiles_->fetch(load.operand, load.tile, target, stream);
    copied_.read = copied_.read + target.bytes();
}

void StreamedProduct::take(TileIndex target, device::View<float> tile, device::Stream& stream) {
    tiles_->store(target, tile, stream);
    copied_.written = copied_.written + tile.bytes();
}

device::View<const float> StreamedProduct::elements(std::int64_t index, TileIndex tile) {
    return slot(index, tile);
}

device::View<float> StreamedProduct::slot(std::int64_t index, TileIndex tile) {
    return slots_.view().part(index * problem().elements({}), problem().elements(tile));
}

StreamedProduct::CopyTimes StreamedProduct::measure_copies() {
    constexpr int copies = 8;
    if (block().empty()) {
        return {};
    }
    const TileIndex a{block().rows.begin, 0};
    const TileIndex c{block().rows.begin, block().columns.begin};
    const auto each_way = [&](int count) {
        for (int copy = 0; copy < count; ++copy) {
            tiles_->fetch(Operand::a, a, slot(0, a), bringing());
            tiles_->store(c, place(0).part(0, problem().elements(c)), taking());
        }
    };
    each_way(1);  // the first ones find pages and clocks that are cold
    bringing().synchronize();
    taking().synchronize();
    const Seconds begin = now();
    each_way(copies);
    bringing().synchronize();
    const Seconds in = now() - begin;
    taking().synchronize();
    return {in / copies, (now() - begin) / copies};
}

}  // namespace quartet::matmul
