#include "core/block_range.hpp"

#include "core/check.hpp"

namespace quartet {

Range block_range(std::int64_t count, int parts, int index) {
    check(count >= 0 && parts >= 1 && index >= 0 && index < parts, "no such part of a range");
    // floor(part * count / parts), with the product split at count = q parts + r, so that nothing
    // outgrows 64 bits.
    const auto begin_of = [=](std::int64_t part) {
        return part * (count / parts) + part * (count % parts) / parts;
    };
    return {begin_of(index), begin_of(std::int64_t{index} + 1)};
}

}  // namespace quartet
