#pragma once

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

}  // namespace quartet::system
