#pragma once

#include <memory>

#include "bench/checkpoint/tile_checkpoint.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "matmul/native/tile_schedule.hpp"
#include "matmul/partition.hpp"
#include "matmul/tiles/tile_files.hpp"

namespace quartet::matmul {

/// Whether the files of the result stay when the case ends.
enum class Results { removed, kept };

/// Whose files of C there may be before a run.
enum class OldResults { of_any_job, of_this_job };

/// The files that a product works with.
struct ProductFiles {
    std::unique_ptr<const TileFiles> tiles;       ///< null where A and B are in memory
    bench::TileCheckpoint* checkpoint = nullptr;  ///< borrowed; null where C is not kept meanwhile
};

/// Which tiles of C need not be made again; empty without a checkpoint, which is borrowed.
TileSchedule::IsDone taken_over(const Problem& problem, const bench::TileCheckpoint* checkpoint);

/// Enqueues the keeping of a complete tile of C where there is a checkpoint.
void keep(bench::TileCheckpoint* checkpoint, std::int64_t number, device::View<const float> tile,
          device::Stream& stream);
/// Enqueues the listing of what was kept.
void list_kept(bench::TileCheckpoint* checkpoint, device::Stream& stream);

/// Call before a run: writes the block's tiles of C that were taken over.
void write_taken_over(const ProductFiles& files, const Problem& problem, const Block& block);

/// Call before a run: takes away the block's tiles of C. With a warm page cache they are put aside
/// and the run writes over them, if this job wrote them; files of other jobs are removed, since
/// somebody may be reading them. With --cache drop the page cache forgets the block's tiles of A
/// and B.
void prepare_files(const TileFiles& files, const Problem& problem, const Block& block,
                   OldResults old);

/// Removes a block's files of C. Failures are ignored: it is called by destructors.
void remove_results_quietly(const TileFiles& files, const Block& block) noexcept;

}  // namespace quartet::matmul
