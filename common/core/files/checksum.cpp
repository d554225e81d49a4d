#include "core/files/checksum.hpp"

#include <xxhash.h>

namespace quartet {

std::uint64_t checksum(std::span<const std::byte> data) {
    return XXH3_64bits(data.data(), data.size());
}

}  // namespace quartet
