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

FileSlots::FileSlots(const Problem& problem, Bytes memory, device::Device& device,
                     device::MemoryKind kind)
    : problem_(problem),
      slots_((memory.value - direct_alignment) / TileFiles::slot_bytes(problem).value),
      memory_(device::allocate<std::byte>(device, memory.value, kind)),
      first_(bytes_to_alignment(memory_.view().data())) {}

Bytes FileSlots::memory(const Problem& problem, std::int64_t slots) {
    return slots * TileFiles::slot_bytes(problem) + Bytes{direct_alignment};
}

device::View<std::byte> FileSlots::slot(std::int64_t index) {
    const std::int64_t size = TileFiles::slot_bytes(problem_).value;
    return memory_.view().part(first_ + index * size, size);
}

device::View<const float> FileSlots::elements(std::int64_t index, TileIndex tile) {
    const auto memory = slot(index);
    return device::view_as<float>(memory.part(TileFiles::elements_offset.value,
                                              bytes_of<float>(problem_.elements(tile)).value));
}

}  // namespace quartet::matmul
