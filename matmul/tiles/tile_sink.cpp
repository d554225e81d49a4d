#include "matmul/tiles/tile_sink.hpp"

#include <utility>
#include <vector>

namespace quartet::matmul {

device::Buffer<float> MemorySink::memory(bench::Arena& arena, const Problem& problem,
                                         const Block& block) {
    return arena.make<float>(elements_in(problem, block), bench::Room::host);
}

MemorySink::MemorySink(bench::Arena& arena, const Problem& problem, const Block& block,
                       device::Device& device)
    : problem_(problem), block_(block), device_(device), memory_(memory(arena, problem, block)) {}

void MemorySink::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    device_.copy(as_bytes(from), as_bytes(view(tile)), stream);
}

device::View<float> MemorySink::column(std::int64_t index) {
    const std::int64_t rows = elements_of(problem_, block_.rows).size();
    return part({block_.rows.begin, index}, rows * problem_.extent(index));
}

FileSink::FileSink(const Problem& problem, const Block& block, ProductFiles files)
    : problem_(problem), block_(block), files_(std::move(files)) {}

FileSink::~FileSink() {
    if (files_.keep == bench::Switch::on) {
        return;
    }
    for_each_tile(block_, [&](TileIndex tile) {
        try {
            files_.matrices->remove(tile);
        } catch (...) {
            return;  // the others may still be removed
        }
    });
}

void FileSink::prepare() {
    written_ = {};
    const bool first = !std::exchange(has_prepared_, true);
    std::vector<float> elements;
    for_each_tile(block_, [&](TileIndex tile) {
        const MatrixFiles& files = *files_.matrices;
        const bool write_over = files.cache() == FileCache::warm && !first;
        write_over ? files.put_aside(tile) : files.remove(tile);
        const std::int64_t number = problem_.number(tile);
        if (files_.checkpoint != nullptr && files_.checkpoint->has(number)) {
            elements.resize(static_cast<std::size_t>(problem_.elements(tile)));
            files_.checkpoint->read(number, std::as_writable_bytes(std::span(elements)));
            files.write(tile, elements);
        }
    });
}

void FileSink::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    if (files_.matrices) {
        stream.enqueue(Phase::copy_out, "tile", [this, tile, from] {
            files_.matrices->write(tile, from.span());
            written_ = written_ + from.bytes();
        });
    }
    if (files_.checkpoint != nullptr) {
        stream.enqueue(Phase::checkpoint, "tile",
                       [checkpoint = files_.checkpoint, number = problem_.number(tile), from] {
                           checkpoint->keep(number, std::as_bytes(from.span()));
                       });
    }
}

void FileSink::end_part(device::Stream& stream) {
    if (files_.checkpoint != nullptr) {
        stream.enqueue(Phase::checkpoint, "list",
                       [checkpoint = files_.checkpoint] { checkpoint->save(); });
    }
}

StagedSink::StagedSink(const Problem& problem, std::unique_ptr<TileSink> next,
                       device::Buffer<float> memory, device::Device& device)
    : next_(std::move(next)),
      device_(device),
      memory_(std::move(memory)),
      writing_(device.make_stream("write", device::StreamKind::transfer)) {
    const std::int64_t elements = problem.elements({});
    std::int64_t begin = 0;
    for (Slot& slot : slots_) {
        slot = {memory_.view().part(begin, elements), device.make_event(), device.make_event()};
        begin += elements;
    }
}

void StagedSink::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    Slot& slot = slots_[next_slot_++ % slots_.size()];
    const auto memory = slot.memory.part(0, from.size());
    stream.wait(*slot.written);
    device_.copy(as_bytes(from), as_bytes(memory), stream);
    stream.record(*slot.copied);
    writing_->wait(*slot.copied);
    next_->store(tile, memory, *writing_);
    writing_->record(*slot.written);
}

std::function<bool(TileIndex)> taken_over(const Problem& problem,
                                          const bench::TileCheckpoint* checkpoint) {
    if (checkpoint == nullptr) {
        return {};
    }
    return [problem, checkpoint](TileIndex tile) { return checkpoint->has(problem.number(tile)); };
}

}  // namespace quartet::matmul
