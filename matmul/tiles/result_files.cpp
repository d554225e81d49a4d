#include "matmul/tiles/result_files.hpp"

#include "core/check.hpp"

namespace quartet::matmul {

namespace {

template <typename Use>
void for_each_result(const Block& block, Use use) {
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            use(TileIndex{row, column});
        }
    }
}

}  // namespace

TileSchedule::IsDone taken_over(const Problem& problem, const bench::TileCheckpoint* checkpoint) {
    if (checkpoint == nullptr) {
        return {};
    }
    return [problem, checkpoint](TileIndex tile) { return checkpoint->has(problem.number(tile)); };
}

void keep(bench::TileCheckpoint* checkpoint, std::int64_t number, device::View<const float> tile,
          device::Stream& stream) {
    if (checkpoint != nullptr) {
        stream.enqueue(Phase::checkpoint, "tile", [checkpoint, number, tile] {
            checkpoint->keep(number, std::as_bytes(tile.span()));
        });
    }
}

void list_kept(bench::TileCheckpoint* checkpoint, device::Stream& stream) {
    if (checkpoint != nullptr) {
        stream.enqueue(Phase::checkpoint, "list", [checkpoint] { checkpoint->save(); });
    }
}

void write_taken_over(const ProductFiles& files, const Problem& problem, const Block& block) {
    std::vector<float> elements;
    for_each_result(block, [&](TileIndex tile) {
        if (files.checkpoint != nullptr && files.checkpoint->has(problem.number(tile))) {
            elements.resize(static_cast<std::size_t>(problem.elements(tile)));
            files.checkpoint->read(problem.number(tile),
                                   std::as_writable_bytes(std::span(elements)));
            files.tiles->write(tile, elements);
        }
    });
}

void prepare_files(const TileFiles& files, const Problem& problem, const Block& block,
                   OldResults old) {
    const bool write_over = files.cache() == FileCache::warm && old == OldResults::of_this_job;
    for_each_result(
        block, [&](TileIndex tile) { write_over ? files.put_aside(tile) : files.remove(tile); });
    if (files.cache() != FileCache::drop) {
        return;
    }
    for (std::int64_t inner = 0; inner < problem.tiles(); ++inner) {
        for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
            files.forget("A", {row, inner});
        }
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            files.forget("B", {inner, column});
        }
    }
}

void remove_results_quietly(const TileFiles& files, const Block& block) noexcept {
    for_each_result(block, [&](TileIndex tile) {
        try {
            files.remove(tile);
        } catch (...) {
            return;  // the others may still be removed
        }
    });
}

}  // namespace quartet::matmul
