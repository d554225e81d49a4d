#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quartet::system {

/// A mapping of this process, as /proc/self/maps and smaps describe it (proc(5)).
struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uintptr_t offset = 0;  ///< of `begin` in the file behind it

    [[nodiscard]] bool contains(std::uintptr_t address) const {
        return address >= begin && address < end;
    }
};

/// The mapping of a line "7f3a00000000-7f3a08002000 rw-s 00001000 00:1a 42 /dev/shm/..."; nothing
/// for another line.
std::optional<Mapping> mapping_of(std::string_view line);

/// A second mapping of a part of shared memory that the kernel can back by huge pages (2 MiB). It
/// needs addresses and file offsets that agree modulo the page size; other mappings have that by
/// chance only. Where no such mapping can be made, or the part is less than one huge page, the view
/// is the memory itself.
class HugeView {
  public:
    /// A view of [data, data + size), in a mapping that outlives the view. `data` is on a page
    /// boundary.
    HugeView(std::byte* data, std::int64_t size);
    ~HugeView();
    HugeView(HugeView&& other) noexcept;
    HugeView& operator=(HugeView&&) = delete;

    [[nodiscard]] std::byte* data() const { return data_; }

    /// Replaces the present pages by huge ones, whatever the system's setting for shared memory
    /// (MADV_COLLAPSE, Linux 6.1 and later; elsewhere nothing happens). Call after first touch
    /// (NUMA placement).
    void collapse() const;

  private:
    std::byte* data_;
    std::int64_t size_;
    bool mapped_ = false;  ///< by this object
};

}  // namespace quartet::system
