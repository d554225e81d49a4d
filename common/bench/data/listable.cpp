#include "bench/data/listable.hpp"

#include <fmt/format.h>

#include "core/check.hpp"

namespace quartet::bench {

void require_listable(std::int64_t count, std::string_view what, std::string_view remedy) {
    if (count > most_tiles) {
        throw UsageError(fmt::format("{} makes {} tiles ({} are the most): {}", what, count,
                                     most_tiles, remedy));
    }
}

}  // namespace quartet::bench
