#include "matmul/problem/problem.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/check.hpp"
#include "core/data_source.hpp"

namespace quartet::matmul {

namespace {

constexpr std::array<std::string_view, 2> input_matrices{"A", "B"};

}  // namespace

std::int64_t Problem::begin(std::int64_t index) const {
    return std::min(index * tile, size);
}

std::int64_t Problem::extent(std::int64_t index) const {
    return begin(index + 1) - begin(index);
}

std::int64_t Problem::elements(TileIndex index) const {
    return extent(index.row) * extent(index.column);
}

Bytes Problem::tile_bytes() const {
    return bytes_of<float>(extent(0) * extent(0));
}

Flops Problem::flops() const {
    const auto n = static_cast<double>(size);
    return {2 * n * n * n - n * n};
}

void fill_rows(const Problem& problem, std::string_view matrix, std::int64_t first,
               std::int64_t count, std::int64_t column, std::span<float> out) {
    const std::int64_t width = problem.extent(column);
    check(std::ssize(out) == count * width, "room for rows of a tile of another size");
    const DataSource source(problem.seed, std::string("matmul/") + std::string(matrix));
    for (std::int64_t row = 0; row < count; ++row) {
        source.fill_uniform(
            out.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)),
            (first + row) * problem.size + problem.begin(column));
    }
}

void fill_tile(const Problem& problem, std::string_view matrix, TileIndex index,
               std::span<float> out) {
    fill_rows(problem, matrix, problem.begin(index.row), problem.extent(index.row), index.column,
              out);
}

Manifest manifest_of(const Problem& problem) {
    Manifest manifest;
    manifest.kernel = "matmul";
    manifest.seed = problem.seed;
    manifest.shape = {problem.size, problem.size};
    manifest.tile = problem.extent(0);
    manifest.generator_version = DataSource::generator_version;
    manifest.order = "row-major";
    return manifest;
}

NamedTile input_tile(const Problem& problem, std::int64_t number) {
    const std::int64_t tiles = problem.tiles();
    const std::int64_t within = number % (tiles * tiles);
    return {input_matrices.at(static_cast<std::size_t>(number / (tiles * tiles))),
            {within / tiles, within % tiles}};
}

std::vector<bench::TileFile> input_files(const Problem& problem) {
    std::vector<bench::TileFile> files;
    const std::int64_t count = 2 * problem.tiles() * problem.tiles();
    for (std::int64_t number = 0; number < count; ++number) {
        const auto [matrix, index] = input_tile(problem, number);
        files.push_back({tile_file(matrix, index.row, index.column),
                         {problem.extent(index.row), problem.extent(index.column)}});
    }
    return files;
}

}  // namespace quartet::matmul
