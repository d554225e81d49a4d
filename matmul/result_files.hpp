#pragma once

#include "matmul/partition.hpp"
#include "matmul/tile_files.hpp"

namespace quartet::matmul {

/// Whether the files of the result stay when the case ends.
enum class Results { removed, kept };

/// Before a run: removes a block's files of C, and makes the page cache forget its tiles of A and B
/// where they are to be read from the disk.
void prepare_files(const TileFiles& files, const Problem& problem, const Block& block);

/// Removes a block's files of C; a file too many harms nobody.
void remove_results_quietly(const TileFiles& files, const Block& block) noexcept;

}  // namespace quartet::matmul
