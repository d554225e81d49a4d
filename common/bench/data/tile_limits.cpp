#include "bench/data/tile_limits.hpp"

#include <fmt/format.h>

#include "core/check.hpp"

namespace quartet::bench {

void require_few_tiles(std::int64_t count, std::string_view what, std::string_view remedy) {
    if (count > most_tiles) {
        throw UsageError(fmt::format("{} makes {} tiles ({} are the most): {}", what, count,
                                     most_tiles, remedy));
    }
}

}  // namespace quartet::bench
