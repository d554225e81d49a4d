#include "matmul/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/data_source.hpp"
#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

constexpr double unit_roundoff = 0x1p-24;
constexpr double least_subnormal = 0x1p-149;
constexpr double few_roundings = 64;  // up to which the normal law does not hold

std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

// In +-[1/2, 1). A seed of its own: the vector must not be related to the data.
std::vector<double> random_vector(const Problem& problem, const Range& elements) {
    std::vector<double> values(at(elements.size()));
    DataSource(problem.seed, "matmul/check").fill_uniform(std::span(values), elements.begin);
    for (double& value : values) {
        value = value < 0.5 ? -0.5 - value : value;
    }
    return values;
}

// Each row of `rows` on one thread: sums do not depend on the number of threads.
template <typename Body>
void for_rows(int threads, std::int64_t rows, Body body) {
    system::parallel_parts(threads, [&](int part) {
        const Range range = block_range(rows, threads, part);
        for (std::int64_t row = range.begin; row < range.end; ++row) {
            body(row);
        }
    });
}

struct Sums {
    double product = 0;
    double squares = 0;
};

Sums sums_of(std::span<const float> row, std::span<const double> vector) {
    constexpr std::size_t lanes = 16;
    std::array<double, lanes> products{};
    std::array<double, lanes> squares{};
    std::size_t first = 0;
    for (; first + lanes <= row.size(); first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double value = row[first + lane];
            products[lane] += value * vector[first + lane];
            squares[lane] += value * value;
        }
    }
    Sums sums;
    for (; first < row.size(); ++first) {
        sums.product += row[first] * vector[first];
        sums.squares += static_cast<double>(row[first]) * row[first];
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        sums.product += products[lane];
        sums.squares += squares[lane];
    }
    return sums;
}

}  // namespace

Freivalds::Freivalds(const Problem& problem, const Block& block, int threads, RankTiles& tiles)
    : problem_(problem),
      block_(block),
      threads_(threads),
      width_(block.columns.size()),
      vectors_(random_vector(problem, elements_of(problem, block.columns))) {
    if (block.empty()) {
        return;
    }
    const FreivaldsPlan plan = plan_freivalds(problem, block);
    expected_.resize(at(plan.expected));
    row_norms_.resize(at(plan.row_norms));
    column_norms_.resize(at(plan.column_norms));
    std::vector<double> products(at(plan.products));
    multiply_b(tiles, products);
    multiply_a(tiles, products);
}

std::span<const double> Freivalds::vector_of(std::int64_t column) const {
    const std::int64_t first = problem_.begin(column) - problem_.begin(block_.columns.begin);
    return std::span(vectors_).subspan(at(first), at(problem_.extent(column)));
}

void Freivalds::multiply_b(RankTiles& tiles, std::vector<double>& products) {
    std::vector<double> squares(at(problem_.extent(0)));
    for (std::int64_t column = 0; column < width_; ++column) {
        const std::int64_t tile_column = block_.columns.begin + column;
        const auto vector = vector_of(tile_column);
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            const auto tile = tiles.input(Operand::b, {inner, tile_column});
            const std::int64_t rows = problem_.extent(inner);
            for_rows(threads_, rows, [&](std::int64_t row) {
                const Sums sums =
                    sums_of(tile.subspan(at(row) * vector.size(), vector.size()), vector);
                products[at((problem_.begin(inner) + row) * width_ + column)] = sums.product;
                squares[at(row)] = sums.squares;
            });
            for (std::int64_t row = 0; row < rows; ++row) {
                column_norms_[at(column)] += squares[at(row)];
            }
        }
    }
}

void Freivalds::multiply_a(RankTiles& tiles, const std::vector<double>& products) {
    for (std::int64_t tile_row = block_.rows.begin; tile_row < block_.rows.end; ++tile_row) {
        const std::int64_t first = problem_.begin(tile_row) - problem_.begin(block_.rows.begin);
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            const auto tile = tiles.input(Operand::a, {tile_row, inner});
            const std::int64_t columns = problem_.extent(inner);
            const double* const factors = &products[at(problem_.begin(inner) * width_)];
            for_rows(threads_, problem_.extent(tile_row), [&](std::int64_t row) {
                const float* const values = &tile[at(row * columns)];
                double* const sums = &expected_[at((first + row) * width_)];
                double squares = 0;
                for (std::int64_t k = 0; k < columns; ++k) {
                    const double value = values[k];
                    squares += value * value;
                    for (std::int64_t column = 0; column < width_; ++column) {
                        sums[column] += value * factors[k * width_ + column];
                    }
                }
                row_norms_[at(first + row)] += squares;
            });
        }
    }
}

double Freivalds::bound(std::int64_t row, std::int64_t column) const {
    const auto n = static_cast<double>(problem_.size);
    const double norms = std::sqrt(row_norms_[at(row)]) *
                         std::sqrt(column_norms_[at(column - block_.columns.begin)]);
    const double lost = n * static_cast<double>(problem_.extent(column)) * least_subnormal;
    return std::sqrt(n + few_roundings) * unit_roundoff * norms + lost;
}

double Freivalds::deviation(RankTiles& tiles) const {
    std::vector<double> of_row(at(problem_.extent(0)));
    double largest = 0;
    for (std::int64_t tile_row = block_.rows.begin; tile_row < block_.rows.end; ++tile_row) {
        const std::int64_t first = problem_.begin(tile_row) - problem_.begin(block_.rows.begin);
        const std::int64_t rows = problem_.extent(tile_row);
        for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
            if (!tiles.owns({tile_row, column})) {
                continue;
            }
            const auto tile = tiles.result({tile_row, column});
            const auto vector = vector_of(column);
            for_rows(threads_, rows, [&](std::int64_t row) {
                const Sums sums =
                    sums_of(tile.subspan(at(row) * vector.size(), vector.size()), vector);
                const double expected =
                    expected_[at((first + row) * width_ + column - block_.columns.begin)];
                of_row[at(row)] = std::abs(sums.product - expected) / bound(first + row, column);
            });
            for (std::int64_t row = 0; row < rows; ++row) {
                // Written so that NaN stays.
                largest = of_row[at(row)] <= largest ? largest
                          : std::isnan(largest)      ? largest
                                                     : of_row[at(row)];
            }
        }
    }
    return largest;
}

FreivaldsPlan plan_freivalds(const Problem& problem, const Block& block) {
    const std::int64_t rows = elements_of(problem, block.rows).size();
    const std::int64_t width = block.columns.size();
    return {.vectors = elements_of(problem, block.columns).size(),
            .expected = rows * width,
            .row_norms = rows,
            .column_norms = width,
            .products = problem.size * width,
            .tile_rows = problem.extent(0)};
}

}  // namespace quartet::matmul
