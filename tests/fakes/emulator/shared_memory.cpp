#include "fakes/emulator/shared_memory.hpp"

#include <algorithm>
#include <string>

#include "fakes/emulator/fiber/sanitizer.hpp"
#include "fakes/emulator/launch.hpp"
#include "fakes/emulator/refuse.hpp"

namespace quartet::emulator {

namespace {

constexpr std::byte rubbish{0xff};
constexpr std::size_t alignment = 16;  // of the widest access
constexpr std::size_t guard_bytes = 2048;
constexpr std::size_t most_arrays = 16;

std::size_t rounded(std::size_t size) {
    return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

SharedMemory::SharedMemory() : bytes_(most_allowed_shared_bytes + (most_arrays + 1) * guard_bytes) {
    std::ranges::fill(bytes_, rubbish);
    used_ = guard_bytes;
    forbid(bytes_.data(), bytes_.size());
}

SharedMemory::~SharedMemory() {
    allow(bytes_.data(), bytes_.size());
}

void SharedMemory::clear() {
    for (const Array& array : arrays_) {
        std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(array.offset), array.size,
                    rubbish);
        forbid(bytes_.data() + array.offset, array.size);
    }
    arrays_.clear();
    used_ = guard_bytes;
}

std::byte* SharedMemory::array(std::size_t size, std::size_t most,
                               const std::source_location& declaration) {
    for (const Array& array : arrays_)
        if (array.declaration.line() == declaration.line() &&
            array.declaration.column() == declaration.column())
            return bytes_.data() + array.offset;
    std::size_t total = size;
    for (const Array& array : arrays_)
        total += array.size;
    if (total > most || arrays_.size() == most_arrays)
        refuse("more than " + std::to_string(most >> 10) +
               " KiB of shared memory with what is declared at " + text_of(declaration));
    const std::size_t begin = used_;
    arrays_.push_back({declaration, begin, size});
    allow(bytes_.data() + begin, size);
    used_ += rounded(size) + guard_bytes;
    return bytes_.data() + begin;
}

void SharedMemory::check_guards() const {
    std::size_t guard = 0;
    for (std::size_t i = 0; i <= arrays_.size(); ++i) {
        const std::size_t end = i < arrays_.size() ? arrays_[i].offset : used_;
        if (!all_are(bytes_.data() + guard, end - guard, rubbish))
            refuse("a thread wrote beyond the shared memory that is declared at " +
                   text_of(arrays_[i == 0 ? 0 : i - 1].declaration));
        if (i < arrays_.size())
            guard = arrays_[i].offset + arrays_[i].size;
    }
}

}  // namespace quartet::emulator
