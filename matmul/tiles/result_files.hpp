#pragma once

#include "matmul/partition.hpp"
#include "matmul/tiles/tile_files.hpp"

namespace quartet::matmul {

/// Whether the files of the result stay when the case ends.
enum class Results { removed, kept };

/// Whose files of C there may be before a run.
enum class OldResults { of_any_job, of_this_job };

/// Before a run: there is no tile of C of a block any more. With a warm page cache a run writes
/// over the files of this job's last one, as it reads files that the cache has; what others have
/// left is removed, since somebody may be reading it. Makes the page cache forget the block's tiles
/// of A and B where it is to.
void prepare_files(const TileFiles& files, const Problem& problem, const Block& block,
                   OldResults old);

/// Removes a block's files of C; a file too many harms nobody.
void remove_results_quietly(const TileFiles& files, const Block& block) noexcept;

}  // namespace quartet::matmul
