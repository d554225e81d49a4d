#include "matmul/tiles/file_slots.hpp"

namespace quartet::matmul {

namespace {

// Buffers are aligned to cache lines at least; direct input needs more.
std::int64_t bytes_to_alignment(const std::byte* data) {
    const auto misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) % direct_alignment;
    return (direct_alignment - misaligned) % direct_alignment;
}

}  // namespace

FileSlots::FileSlots(bench::Arena& arena, const Problem& problem, std::int64_t count)
    : problem_(problem),
      memory_(arena.make<std::byte>(
          count == 0 ? 0 : count * MatrixFiles::slot_bytes(problem).value + direct_alignment,
          bench::Room::host)),
      first_(bytes_to_alignment(memory_.view().data())) {}

device::View<std::byte> FileSlots::slot(std::int64_t index) {
    const std::int64_t size = MatrixFiles::slot_bytes(problem_).value;
    return memory_.view().part(first_ + index * size, size);
}

device::View<const float> FileSlots::elements(std::int64_t index, TileIndex tile) {
    const auto memory = slot(index);
    return device::view_as<float>(memory.part(MatrixFiles::elements_offset.value,
                                              bytes_of<float>(problem_.elements(tile)).value));
}

}  // namespace quartet::matmul
