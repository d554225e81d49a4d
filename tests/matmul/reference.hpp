#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <vector>

#include "core/files/npy.hpp"
#include "core/files/tiles.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// A matrix of float32, row-major.
using Matrix = std::vector<float>;

/// A tile of a whole matrix, row-major.
inline std::vector<float> tile_of(const Problem& problem, const Matrix& matrix, TileIndex index) {
    std::vector<float> tile;
    for (std::int64_t row = 0; row < problem.extent(index.row); ++row) {
        const auto begin = matrix.begin() + (problem.begin(index.row) + row) * problem.size +
                           problem.begin(index.column);
        tile.insert(tile.end(), begin, begin + problem.extent(index.column));
    }
    return tile;
}

/// All tiles of A or B, as fill_tile makes them.
inline Matrix whole_matrix(const Problem& problem, std::string_view name) {
    Matrix matrix(static_cast<std::size_t>(problem.size * problem.size));
    for (std::int64_t row = 0; row < problem.tiles(); ++row) {
        for (std::int64_t column = 0; column < problem.tiles(); ++column) {
            std::vector<float> tile(static_cast<std::size_t>(problem.elements({row, column})));
            fill_tile(problem, name, {row, column}, tile);
            for (std::int64_t i = 0; i < problem.extent(row); ++i) {
                for (std::int64_t j = 0; j < problem.extent(column); ++j) {
                    matrix[static_cast<std::size_t>((problem.begin(row) + i) * problem.size +
                                                    problem.begin(column) + j)] =
                        tile[static_cast<std::size_t>(i * problem.extent(column) + j)];
                }
            }
        }
    }
    return matrix;
}

/// Writes all tiles of A and B to a folder.
inline void write_files(const Problem& problem, const std::filesystem::path& folder) {
    for (const Operand operand : {Operand::a, Operand::b}) {
        for_each_tile(whole(problem), [&](TileIndex index) {
            std::vector<float> tile(static_cast<std::size_t>(problem.elements(index)));
            fill_tile(problem, name(operand), index, tile);
            write_npy<float>(folder / tile_file(name(operand), index.row, index.column),
                             {problem.extent(index.row), problem.extent(index.column)}, tile);
        });
    }
}

/// The product in float64, element by element.
inline std::vector<double> product(const Problem& problem, const Matrix& a, const Matrix& b) {
    const std::int64_t n = problem.size;
    std::vector<double> c(static_cast<std::size_t>(n * n));
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t k = 0; k < n; ++k) {
            const double left = a[static_cast<std::size_t>(i * n + k)];
            for (std::int64_t j = 0; j < n; ++j) {
                c[static_cast<std::size_t>(i * n + j)] +=
                    left * b[static_cast<std::size_t>(k * n + j)];
            }
        }
    }
    return c;
}

/// The largest difference between a tile and the reference, over the reference's largest element.
inline double largest_difference(const Problem& problem, const std::vector<double>& reference,
                                 TileIndex index, std::span<const float> tile) {
    double largest = 0;
    double scale = 0;
    for (std::int64_t i = 0; i < problem.extent(index.row); ++i) {
        for (std::int64_t j = 0; j < problem.extent(index.column); ++j) {
            const double wanted = reference[static_cast<std::size_t>(
                (problem.begin(index.row) + i) * problem.size + problem.begin(index.column) + j)];
            const double found =
                tile[static_cast<std::size_t>(i * problem.extent(index.column) + j)];
            largest = std::max(largest, std::abs(found - wanted));
            scale = std::max(scale, std::abs(wanted));
        }
    }
    return scale > 0 ? largest / scale : largest;
}

}  // namespace quartet::matmul
