#pragma once

#include "matmul/partition.hpp"
#include "matmul/tiles/tile_files.hpp"

namespace quartet::matmul {

/// Whether the files of the result stay when the case ends.
enum class Results { removed, kept };

/// Whose files of C there may be before a run.
enum class OldResults { of_any_job, of_this_job };

/// Call before a run: takes away the block's tiles of C. With a warm page cache they are put aside
/// and the run writes over them, if this job wrote them; files of other jobs are removed, since
/// somebody may be reading them. With --cache drop the page cache forgets the block's tiles of A
/// and B.
void prepare_files(const TileFiles& files, const Problem& problem, const Block& block,
                   OldResults old);

/// Removes a block's files of C. Failures are ignored: it is called by destructors.
void remove_results_quietly(const TileFiles& files, const Block& block) noexcept;

}  // namespace quartet::matmul
