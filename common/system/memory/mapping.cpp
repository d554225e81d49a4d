#include "system/memory/mapping.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "system/memory/page.hpp"

namespace quartet::system {

std::int64_t page_bytes() {
    static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
    return bytes;
}

namespace {

// Takes a hexadecimal number and the character that ends it from the beginning.
std::optional<std::uintptr_t> take_number(std::string_view& text, char ending) {
    std::uintptr_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || length == text.size() || *end != ending) {
        return std::nullopt;
    }
    text.remove_prefix(length + 1);
    return value;
}

}  // namespace

std::optional<Mapping> mapping_of(std::string_view line) {
    const auto begin = take_number(line, '-');
    const auto end = begin ? take_number(line, ' ') : std::nullopt;
    const auto permissions = end ? line.find(' ') : std::string_view::npos;
    if (permissions == std::string_view::npos) {
        return std::nullopt;
    }
    line.remove_prefix(permissions + 1);
    const auto offset = take_number(line, ' ');
    return offset ? std::optional(Mapping{*begin, *end, *offset}) : std::nullopt;
}

namespace {

constexpr int collapse_pages = 25;  // MADV_COLLAPSE, which older headers do not name

std::uintptr_t number(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

// The offset, in the file behind a mapping, of its part of `size` bytes, if the mapping holds all
// of it: mremap(2) would map what is beyond it, too.
std::optional<std::uintptr_t> file_offset(std::uintptr_t address, std::size_t size) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto mapping = mapping_of(line);
        if (mapping && mapping->contains(address)) {
            return size <= mapping->end - address
                       ? std::optional(mapping->offset + (address - mapping->begin))
                       : std::nullopt;
        }
    }
    return std::nullopt;
}

// mremap(2) with a size of 0 makes a second mapping of shared memory. The kernel is asked directly:
// UCX replaces libc's mremap by its own, which loses the target (UCX 1.13).
bool map_second(std::byte* data, std::size_t bytes, std::byte* target) {
    const long mapped = syscall(SYS_mremap, data, std::size_t{0}, bytes,
                                static_cast<unsigned long>(MREMAP_MAYMOVE | MREMAP_FIXED), target);
    return mapped != -1;
}

// Maps the memory once more where its huge pages can begin. Null if that cannot be.
std::byte* map_again(std::byte* data, std::int64_t size) {
    // Mappings are of whole pages, which the memory's own is, too.
    const auto bytes = static_cast<std::size_t>(whole_pages(size, page_bytes()));
    const auto offset = file_offset(number(data), bytes);
    if (!offset) {
        return nullptr;
    }
    const std::size_t room = bytes + huge_page;
    void* const reserved =
        mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        return nullptr;
    }
    const std::uintptr_t before = (*offset - number(reserved)) % huge_page;
    auto* const target = static_cast<std::byte*>(reserved) + before;
    if (!map_second(data, bytes, target)) {
        munmap(reserved, room);
        return nullptr;
    }
    if (before > 0) {
        munmap(reserved, before);
    }
    if (const std::size_t behind = room - before - bytes; behind > 0) {
        munmap(target + bytes, behind);
    }
    return target;
}

}  // namespace

HugeView::HugeView(std::byte* data, std::int64_t size) : data_(data), size_(size) {
    if (size < static_cast<std::int64_t>(huge_page)) {
        return;
    }
    if (std::byte* const view = map_again(data, size)) {
        data_ = view;
        mapped_ = true;
    }
}

HugeView::~HugeView() {
    if (mapped_) {
        munmap(data_, static_cast<std::size_t>(size_));
    }
}

HugeView::HugeView(HugeView&& other) noexcept
    : data_(other.data_), size_(other.size_), mapped_(std::exchange(other.mapped_, false)) {}

void HugeView::collapse() const {
    const std::uintptr_t begin = (number(data_) + huge_page - 1) / huge_page * huge_page;
    const std::uintptr_t end =
        (number(data_) + static_cast<std::uintptr_t>(size_)) / huge_page * huge_page;
    if (mapped_ && begin < end) {
        madvise(data_ + (begin - number(data_)), end - begin, collapse_pages);
    }
}

}  // namespace quartet::system
