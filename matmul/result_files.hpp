#pragma once

#include "matmul/partition.hpp"
#include "matmul/tile_files.hpp"

namespace quartet::matmul {

/// Whether the files of the result stay when the case ends.
enum class Results { removed, kept };

/// Before a run: there is no tile of C of a block any more. Where the page cache is warm the run
/// writes over the last one's files, as it reads files that the cache has; otherwise they are
/// removed. Makes the page cache forget the block's tiles of A and B where it is to.
void prepare_files(const TileFiles& files, const Problem& problem, const Block& block);

/// Removes a block's files of C; a file too many harms nobody.
void remove_results_quietly(const TileFiles& files, const Block& block) noexcept;

}  // namespace quartet::matmul
