#include "core/files/checksum.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace quartet {

std::uint64_t checksum(std::span<const std::byte> data) {
    return XXH3_64bits(data.data(), data.size());
}

std::string checksum_text(std::span<const std::byte> data) {
    return fmt::format("{:016x}", checksum(data));
}

}  // namespace quartet
