#include "matmul/tiles/staged_tiles.hpp"

#include "core/files/file.hpp"

namespace quartet::matmul {

namespace {

constexpr std::string_view name_of(Operand operand) {
    return operand == Operand::a ? "A" : "B";
}

// The slots from the first address on that direct input can read to.
device::View<std::byte> aligned(device::View<std::byte> memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto misaligned = static_cast<std::int64_t>(address) % direct_alignment;
    const std::int64_t first = (direct_alignment - misaligned) % direct_alignment;
    return memory.part(first, memory.size() - direct_alignment);
}

}  // namespace

StagedTiles::StagedTiles(const Problem& problem, const Block& block, const Blocking& blocking,
                         const TileFiles& files, device::Device& device)
    : problem_(problem),
      block_(block),
      files_(files),
      device_(device),
      schedule_(problem, block, blocking),
      slot_memory_(device::allocate<std::byte>(
          device, blocking.slots * TileFiles::slot_bytes(problem).value + direct_alignment,
          device::MemoryKind::pinned)),
      result_memory_(device::allocate<float>(device, results_staged * problem.elements({}),
                                             device::MemoryKind::pinned)),
      reading_(device.make_stream("read", device::StreamKind::transfer)),
      writing_(device.make_stream("write", device::StreamKind::transfer)) {
    const auto memory = aligned(slot_memory_.view());
    const std::int64_t size = TileFiles::slot_bytes(problem).value;
    for (std::int64_t slot = 0; slot < blocking.slots; ++slot) {
        slots_.push_back(
            {memory.part(slot * size, size), device.make_event(), device.make_event()});
    }
    for (std::int64_t index = 0; index < results_staged; ++index) {
        const std::int64_t elements = problem.elements({});
        results_[static_cast<std::size_t>(index)] = {
            result_memory_.view().part(index * elements, elements), device.make_event(),
            device.make_event()};
    }
}

StagedTiles::~StagedTiles() {
    reading_.reset();
    writing_.reset();
    if (results_kept_ == Results::removed) {
        remove_results_quietly(files_, block_);
    }
}

Bytes StagedTiles::memory(const Problem& problem, std::int64_t slots) {
    return slots * TileFiles::slot_bytes(problem) + Bytes{direct_alignment} +
           results_staged * problem.tile_bytes();
}

void StagedTiles::begin_run() {
    schedule_.restart();
    traffic_ = {};
}

void StagedTiles::begin_step() {
    step_ = schedule_.next();
    for (int index = 0; index < step_.load_count; ++index) {
        const Load& load = step_.loads[static_cast<std::size_t>(index)];
        Slot& slot = slots_[static_cast<std::size_t>(load.slot)];
        reading_->wait(*slot.copied);
        reading_->enqueue(Phase::read, "tile", [this, load, memory = slot.memory] {
            const auto elements = files_.read(name_of(load.operand), load.tile, memory.span());
            traffic_.read = traffic_.read + Bytes{std::ssize(std::as_bytes(elements))};
        });
        reading_->record(*slot.read);
    }
}

void StagedTiles::fetch(Operand operand, TileIndex tile, device::View<float> to,
                        device::Stream& stream) {
    const std::int64_t index = operand == Operand::a ? step_.a_slot : step_.b_slot;
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    stream.wait(*slot.read);
    device_.copy(slot.memory.part(TileFiles::elements_offset.value,
                                  bytes_of<float>(problem_.elements(tile)).value),
                 as_bytes(to), stream);
    stream.record(*slot.copied);
}

void StagedTiles::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    Result& result = results_[next_result_++ % results_.size()];
    const auto memory = result.memory.part(0, from.size());
    stream.wait(*result.written);
    device_.copy(as_bytes(from), as_bytes(memory), stream);
    stream.record(*result.copied);
    writing_->wait(*result.copied);
    writing_->enqueue(Phase::copy_out, "tile", [this, tile, memory] {
        files_.write(tile, memory.span());
        traffic_.written = traffic_.written + memory.bytes();
    });
    writing_->record(*result.written);
}

void StagedTiles::synchronize() {
    reading_->synchronize();
    writing_->synchronize();
}

// Between runs the first slot is free.
std::span<const float> StagedTiles::input(Operand operand, TileIndex tile) {
    return files_.read(name_of(operand), tile, slots_.front().memory.span());
}

std::span<const float> StagedTiles::result(TileIndex tile) {
    return files_.read("C", tile, slots_.front().memory.span());
}

}  // namespace quartet::matmul
