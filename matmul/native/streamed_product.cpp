#include "matmul/native/streamed_product.hpp"

namespace quartet::matmul {

StreamedProduct::StreamedProduct(const Problem& problem, const Block& block,
                                 const Blocking& blocking, std::unique_ptr<HostTiles> tiles,
                                 device::Device& device)
    : StreamedProduct(problem, block, blocking, buffers_of(blocking, tile_memory(problem)),
                      std::move(tiles), device) {}

StreamedProduct::StreamedProduct(const Problem& problem, const Block& block,
                                 const Blocking& blocking, const TileBuffers& buffers,
                                 std::unique_ptr<HostTiles> tiles, device::Device& device)
    : ScheduledProduct(problem, block, blocking, buffers.results, device, {"copy in", "copy out"},
                       tiles->checkpoint()),
      tiles_(std::move(tiles)),
      slots_(device::allocate<float>(device, floats_in(buffers.slots))) {}

TileMemory StreamedProduct::tile_memory(const Problem& problem) {
    return {.slot = problem.tile_bytes(), .result = problem.tile_bytes()};
}

void StreamedProduct::begin_run() {
    copied_ = {};
    tiles_->begin_run();
}

void StreamedProduct::fetch(const Prefetch& prefetch, device::Stream& stream) {
    const auto target = slot(prefetch.slot, prefetch.tile);
    tiles_->fetch(prefetch.operand, prefetch.tile, target, stream);
    copied_.read = copied_.read + target.bytes();
}

void StreamedProduct::store(TileIndex target, device::View<float> tile, device::Stream& stream) {
    tiles_->store(target, tile, stream);
    copied_.written = copied_.written + tile.bytes();
}

device::View<const float> StreamedProduct::elements(std::int64_t index, TileIndex tile) {
    return slot(index, tile);
}

device::View<float> StreamedProduct::slot(std::int64_t index, TileIndex tile) {
    return slots_.view().part(index * problem().elements({}), problem().elements(tile));
}

void StreamedProduct::measure_rates() {
    constexpr int copies = 8;
    if (block().empty() || !tiles_->in_memory()) {
        return;
    }
    const TileIndex a{block().rows.begin, 0};
    const TileIndex c{block().rows.begin, block().columns.begin};
    const auto each_way = [&](int count) {
        for (int copy = 0; copy < count; ++copy) {
            tiles_->fetch(Operand::a, a, slot(0, a), fetching());
            tiles_->store(c, result_slot(0).part(0, problem().elements(c)), storing());
        }
    };
    each_way(1);  // the first ones find pages and clocks that are cold
    fetching().synchronize();
    storing().synchronize();
    const Seconds begin = now();
    each_way(copies);
    fetching().synchronize();
    const Seconds in = now() - begin;
    storing().synchronize();
    copy_times_ = {in / copies, (now() - begin) / copies};
}

// Rates are the slowest rank's: that of the link, where each rank has its own.
bench::Details StreamedProduct::details(const comm::Communicator& world) const {
    bench::Details details;
    tiles_->add_details(details, world);
    const auto add = [&](const char* key, double value) {
        details.numbers.emplace_back(key, value);
    };
    const auto sum = [&](Bytes bytes) { return world.sum(static_cast<double>(bytes.value)); };
    add("bytes_copied_in", sum(copied_.read));
    add("bytes_copied_out", sum(copied_.written));
    for (const auto& [key, time] : {std::pair("copy_in_bytes_per_second", copy_times_.in),
                                    std::pair("copy_out_bytes_per_second", copy_times_.out)}) {
        const double slowest = world.maximum(time.value);
        if (slowest > 0) {
            add(key, static_cast<double>(problem().tile_bytes().value) / slowest);
        }
    }
    const auto add_of_root = [&](const char* key, std::int64_t value) {
        add(key, world.broadcast(static_cast<double>(value), 0));
    };
    add_of_root("device_blocking_rows", blocking().rows);
    add_of_root("device_blocking_columns", blocking().columns);
    add_of_root("device_blocking_slots", blocking().slots);
    add_of_root("device_lookahead", blocking().lookahead);
    return details;
}

}  // namespace quartet::matmul
