#include "core/block_range.hpp"

#include "core/check.hpp"

namespace quartet {

namespace {

// Beginning of part `index`: floor(index * count / parts), with the product split at
// count = q parts + r, so that nothing outgrows 64 bits.
std::int64_t part_begin(std::int64_t count, std::int64_t parts, std::int64_t index) {
    return index * (count / parts) + index * (count % parts) / parts;
}

}  // namespace

Range block_range(std::int64_t count, int parts, int index) {
    check(count >= 0 && parts >= 1 && index >= 0 && index < parts, "no such part of a range");
    const std::int64_t next = static_cast<std::int64_t>(index) + 1;
    return {part_begin(count, parts, index), part_begin(count, parts, next)};
}

}  // namespace quartet
