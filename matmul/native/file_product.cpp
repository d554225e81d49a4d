#include "matmul/native/file_product.hpp"

#include <utility>

#include "core/files/file.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

namespace {

constexpr std::string_view name_of(Operand operand) {
    return operand == Operand::a ? "A" : "B";
}

}  // namespace

FileProduct::FileProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                         const TileFiles& files, device::Device& device)
    : ScheduledProduct(problem, block, blocking, device, {"read", "write"}),
      files_(files),
      slots_(device::allocate<std::byte>(
          device, (blocking.slots * TileFiles::slot_bytes(problem)).value + direct_alignment,
          device::MemoryKind::host)) {}

TileMemory FileProduct::tile_memory(const Problem& problem) {
    return {.slot = TileFiles::slot_bytes(problem), .result = problem.tile_bytes()};
}

FileProduct::~FileProduct() {
    stop();
    if (results_kept_ == Results::removed) {
        remove_results_quietly(files_, block());
    }
}

void FileProduct::prepare() {
    prepare_files(files_, problem(), block(), std::exchange(old_results_, OldResults::of_this_job));
}

void FileProduct::bring(const Load& load, device::Stream& stream) {
    stream.enqueue(Phase::read, "tile", [this, load, target = slot(load.slot)] {
        const auto elements = files_.read(name_of(load.operand), load.tile, target.span());
        traffic_.read = traffic_.read + Bytes{std::ssize(std::as_bytes(elements))};
    });
}

void FileProduct::take(TileIndex target, device::View<float> tile, device::Stream& stream) {
    stream.enqueue(Phase::copy_out, "tile", [this, target, tile] {
        files_.write(target, tile.span());
        traffic_.written = traffic_.written + tile.bytes();
    });
}

// The memory is aligned to cache lines at least; direct input wants more.
device::View<std::byte> FileProduct::slot(std::int64_t index) {
    const auto address = reinterpret_cast<std::uintptr_t>(slots_.view().data());
    const auto misaligned = static_cast<std::int64_t>(address) % direct_alignment;
    const std::int64_t first = (direct_alignment - misaligned) % direct_alignment;
    const Bytes size = TileFiles::slot_bytes(problem());
    return slots_.view().part(first + index * size.value, size.value);
}

device::View<const float> FileProduct::elements(std::int64_t slot_index, TileIndex tile) {
    const auto memory = slot(slot_index);
    return {reinterpret_cast<const float*>(memory.data() + TileFiles::elements_offset.value),
            problem().elements(tile), memory.kind()};
}

// Between runs the first slot is free.
std::span<const float> FileProduct::input(Operand operand, TileIndex tile) {
    return files_.read(name_of(operand), tile, slot(0).span());
}

std::span<const float> FileProduct::result(TileIndex tile) {
    return files_.read("C", tile, slot(0).span());
}

}  // namespace quartet::matmul
