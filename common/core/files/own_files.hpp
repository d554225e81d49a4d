#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/files/npy.hpp"

namespace quartet {

/// The indices i of the files "x-i.npy" that a folder has, ascending; other files are passed over.
/// Throws Failure if the folder cannot be read.
std::vector<std::int64_t> blocks_in(const std::filesystem::path& folder, std::string_view array);

/// Row and column of a tile's file "A_i_j.npy".
struct TilePlace {
    std::int64_t row = 0;
    std::int64_t column = 0;
    auto operator<=>(const TilePlace&) const = default;
};
/// The tiles that a folder has as files, row by row.
std::vector<TilePlace> tiles_in(const std::filesystem::path& folder, std::string_view array);

/// How many blocks there are, one more than the largest index. Throws UsageError that names the
/// first one that is missing.
std::int64_t count_blocks(const std::filesystem::path& folder, std::string_view array);
/// How many tiles there are along an edge of a square grid. Throws UsageError that names the first
/// one that is missing.
std::int64_t count_tiles(const std::filesystem::path& folder, std::string_view array);

/// Removes blocks rank + ranks, rank + 2 ranks and so on, up to the first that is not there: what
/// each of `ranks` ranks removes are all that more ranks have left. Throws FileError.
void remove_later_blocks(const std::filesystem::path& folder, std::string_view array, int rank,
                         int ranks);

/// The extents of an array of `dimensions` dimensions. Each is at least 1, but the first may be 0.
/// Throws NpyError, also for elements of another type.
Shape own_shape(const std::filesystem::path& file, ElementType type, std::size_t dimensions);

}  // namespace quartet
