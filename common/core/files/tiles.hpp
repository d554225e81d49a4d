#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/files/npy.hpp"

namespace quartet {

/// File names of the published code: "A_0_3.npy" (matrix tiles), "x-5.npy" (FFT tiles, blocks of
/// vectors and of matrix rows).
std::string tile_file(std::string_view array, std::int64_t row, std::int64_t column);
std::string block_file(std::string_view array, std::int64_t index);

/// Removes blocks rank + ranks, rank + 2 ranks and so on, up to the first that is missing. If each
/// of `ranks` ranks does so, no block of a job with more ranks is left. Throws FileError.
void remove_later_blocks(const std::filesystem::path& folder, std::string_view array, int rank,
                         int ranks);

/// The contents of a folder of tiles, and how they were made; "manifest.json" beside the tiles.
struct Manifest {
    std::string kernel;  ///< "matmul", "cg" or "fft"
    std::uint64_t seed = 0;
    Shape shape;            ///< of the whole array
    std::int64_t tile = 0;  ///< a tile's edge (matmul), length (fft) or the rank count (cg)
    std::string dtype;      ///< "<f4"
    int generator_version = 0;
    std::string order;                             ///< "row-major"
    std::map<std::string, std::string> checksums;  ///< of the elements, by file name

    bool operator==(const Manifest&) const = default;
};

/// Writes the manifest aside and renames it. Throws Failure.
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Throws Failure if the file is missing, not JSON, of a newer schema or lacks a key.
Manifest read_manifest(const std::filesystem::path& folder);

/// Throws UsageError, with the name of the first field, if `found` differs from `wanted`. Does not
/// compare checksums.
void require_same_data(const Manifest& found, const Manifest& wanted,
                       const std::filesystem::path& folder);

}  // namespace quartet
