#pragma once

#include <cstdint>
#include <string_view>

namespace quartet::bench {

/// The most tiles, blocks or files of one kind that a plan lists: every rank has the whole list.
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 20;

/// Throws UsageError for more than most_tiles: "`what` makes 5000000 tiles (1048576 are the
/// most): `remedy`". To be called before a list is made. Local.
void require_few_tiles(std::int64_t count, std::string_view what, std::string_view remedy);

}  // namespace quartet::bench
