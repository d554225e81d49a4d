#include "matmul/tiles/staged_tiles.hpp"

namespace quartet::matmul {

StagedTiles::StagedTiles(const Problem& problem, const Block& block, const FilePlan& plan,
                         ProductFiles files, Results results, device::Device& device)
    : problem_(problem),
      block_(block),
      plan_(plan),
      files_(std::move(files)),
      results_(results),
      device_(device),
      schedule_(problem, block, plan.blocking, taken_over(problem, files_.checkpoint)),
      slot_memory_(problem, plan.buffers.slots, device, device::MemoryKind::pinned),
      result_memory_(device::allocate<float>(device, floats_in(plan.buffers.results),
                                             device::MemoryKind::pinned)),
      slots_(static_cast<std::size_t>(plan.blocking.slots)),
      reading_(device.make_stream("read", device::StreamKind::transfer)),
      writing_(device.make_stream("write", device::StreamKind::transfer)) {
    for (Slot& slot : slots_) {
        slot = {device.make_event(), device.make_event()};
    }
    const std::int64_t elements = problem.elements({});
    std::int64_t begin = 0;
    for (ResultSlot& slot : result_slots_) {
        slot = {result_memory_.view().part(begin, elements), device.make_event(),
                device.make_event()};
        begin += elements;
    }
}

StagedTiles::~StagedTiles() {
    reading_.reset();
    writing_.reset();
    if (results_ == Results::removed) {
        remove_results_quietly(*files_.tiles, block_);
    }
}

TileBuffers StagedTiles::buffers(const Problem& problem, std::int64_t slots) {
    return {.slots = FileSlots::memory(problem, slots),
            .results = results_staged * problem.tile_bytes()};
}

void StagedTiles::begin_run() {
    schedule_.restart();
    traffic_ = {};
}

void StagedTiles::begin_product() {
    product_ = schedule_.next();
    for (int index = 0; index < product_.prefetch_count; ++index) {
        const Prefetch& prefetch = product_.prefetches[static_cast<std::size_t>(index)];
        Slot& slot = slots_[static_cast<std::size_t>(prefetch.slot)];
        reading_->wait(*slot.copied);
        reading_->enqueue(
            Phase::read, "tile", [this, prefetch, target = slot_memory_.slot(prefetch.slot)] {
                const auto elements =
                    files_.tiles->read(name(prefetch.operand), prefetch.tile, target.span());
                traffic_.read = traffic_.read + Bytes{std::ssize(std::as_bytes(elements))};
            });
        reading_->record(*slot.read);
    }
}

void StagedTiles::fetch(Operand operand, TileIndex tile, device::View<float> to,
                        device::Stream& stream) {
    const std::int64_t index = operand == Operand::a ? product_.a_slot : product_.b_slot;
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    stream.wait(*slot.read);
    device_.copy(as_bytes(slot_memory_.elements(index, tile)), as_bytes(to), stream);
    stream.record(*slot.copied);
}

void StagedTiles::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    ResultSlot& slot = result_slots_[next_result_++ % result_slots_.size()];
    const auto memory = slot.memory.part(0, from.size());
    stream.wait(*slot.written);
    device_.copy(as_bytes(from), as_bytes(memory), stream);
    stream.record(*slot.copied);
    writing_->wait(*slot.copied);
    writing_->enqueue(Phase::copy_out, "tile", [this, tile, memory] {
        files_.tiles->write(tile, memory.span());
        traffic_.written = traffic_.written + memory.bytes();
    });
    keep(files_.checkpoint, problem_.number(tile), memory, *writing_);
    writing_->record(*slot.written);
}

void StagedTiles::synchronize() {
    reading_->synchronize();
    writing_->synchronize();
}

// Between runs the first slot is free.
std::span<const float> StagedTiles::input(Operand operand, TileIndex tile) {
    return files_.tiles->read(name(operand), tile, slot_memory_.slot(0).span());
}

std::span<const float> StagedTiles::result(TileIndex tile) {
    return files_.tiles->read("C", tile, slot_memory_.slot(0).span());
}

void StagedTiles::add_details(bench::Details& details, const comm::Communicator& world) const {
    matmul::add_details(details, plan_, traffic_, world);
}

}  // namespace quartet::matmul
