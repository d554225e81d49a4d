#include "matmul/problem/own_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bench/data/tile_limits.hpp"
#include "core/check.hpp"
#include "core/files/own_files.hpp"
#include "core/saturated.hpp"
#include "matmul/problem/options.hpp"
#include "matmul/problem/problem.hpp"

namespace quartet::matmul {

namespace {

// Tiles along an edge of both matrices.
std::int64_t tiles_of_both(const std::filesystem::path& folder) {
    const std::int64_t of_a = count_tiles(folder, "A");
    const std::int64_t of_b = count_tiles(folder, "B");
    if (of_a != of_b) {
        const std::int64_t fewer = std::min(of_a, of_b);
        throw UsageError(fmt::format(
            "{} has no {} ({} x {} tiles of A and {} x {} of B): both need as many",
            quotation(folder.native()),
            tile_file(name(of_a < of_b ? Operand::a : Operand::b), fewer > 0 ? 0 : fewer, fewer),
            of_a, of_a, of_b, of_b));
    }
    bench::require_few_tiles(saturated_product(of_a, of_a), quotation(folder.native()),
                             "cut the matrices into larger tiles");
    return of_a;
}

}  // namespace

std::vector<std::int64_t> read_own_tiles(const std::filesystem::path& folder) {
    const std::int64_t tiles = tiles_of_both(folder);
    if (tiles == 0) {
        return {};
    }
    const auto height = [&](std::int64_t tile) {
        const auto path = folder / tile_file("A", tile, tile);
        const std::int64_t rows = own_shape(path, ElementType::f4, 2).front();
        if (rows < 1 || rows > largest_edge) {
            throw NpyError(NpyProblem::wrong_shape, path,
                           fmt::format("{} rows where 1 to {} are possible", rows, largest_edge));
        }
        return rows;
    };
    const std::int64_t tile = height(0);
    const std::int64_t last = height(tiles - 1);
    if (last > tile) {
        const auto path = folder / tile_file("A", tiles - 1, tiles - 1);
        require(read_npy_header(path), ElementType::f4, {tile, tile}, path);
    }
    const std::int64_t size = saturated_product(tiles - 1, tile) + last;
    if (size > largest_edge) {
        throw UsageError(
            fmt::format("{} has matrices of {} rows ({} are the most): use smaller ones",
                        quotation(folder.native()), size, largest_edge));
    }
    for (const bench::TileFile& file : input_files({size, tile, 0})) {
        const auto path = folder / file.name;
        require(read_npy_header(path), ElementType::f4, file.shape, path);
    }
    return {size, tile};
}

void require_no_results(const std::filesystem::path& folder) {
    const auto results = tiles_in(folder, "C");
    if (!results.empty()) {
        throw UsageError(fmt::format(
            "{} has {}, which a run would write over and remove: add --keep, or take it away",
            quotation(folder.native()),
            tile_file("C", results.front().row, results.front().column)));
    }
}

}  // namespace quartet::matmul
