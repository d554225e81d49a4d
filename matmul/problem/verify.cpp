#include "matmul/problem/verify.hpp"

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

// In +-[1/2, 1). The seed differs from the data's: the vector must not be related to them.
void fill_random(const Problem& problem, const Range& elements, std::span<double> values) {
    DataSource(problem.seed, "matmul/check").fill_uniform(values, elements.begin);
    for (double& value : values) {
        value = value < 0.5 ? -0.5 - value : value;
    }
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

Freivalds::Buffers::Buffers(bench::Arena& arena, const Problem& problem, const Block& block)
    : vectors(arena.make_vector<double>(elements_of(problem, block.columns).size())),
      expected(arena.make_vector<double>(elements_of(problem, block.rows).size() *
                                         block.columns.size())),
      row_norms(arena.make_vector<double>(elements_of(problem, block.rows).size())),
      column_norms(arena.make_vector<double>(block.columns.size())) {}

Freivalds::Scratch::Scratch(bench::Arena& arena, const Problem& problem, const Block& block)
    : products(arena.make_vector<double>(problem.size * block.columns.size())),
      squares(arena.make_vector<double>(problem.extent(0))) {}

void Freivalds::count(bench::Arena& arena, const Problem& problem, const Block& block) {
    const Buffers buffers(arena, problem, block);
    const Scratch scratch(arena, problem, block);
}

Freivalds::Freivalds(bench::Arena& arena, const Problem& problem, const Block& block, int threads,
                     Product& product, const RecordedSums& recorded, device::Math math)
    : problem_(problem),
      block_(block),
      threads_(threads),
      math_(math),
      width_(block.columns.size()),
      buffers_(arena, problem, block) {
    if (block.empty()) {
        return;
    }
    fill_random(problem, elements_of(problem, block.columns), buffers_.vectors);
    const auto input = [&](Operand operand, TileIndex tile) {
        const auto elements = product.input(operand, tile);
        recorded.compare(operand, tile, elements);
        return elements;
    };
    Scratch scratch(arena, problem, block);
    multiply_b(input, scratch);
    multiply_a(input, scratch);
}

std::span<const double> Freivalds::vector_of(std::int64_t column) const {
    const std::int64_t first = problem_.begin(column) - problem_.begin(block_.columns.begin);
    return std::span(buffers_.vectors).subspan(at(first), at(problem_.extent(column)));
}

void Freivalds::multiply_b(const ReadInput& input, Scratch& scratch) {
    std::vector<double>& products = scratch.products;
    std::vector<double>& squares = scratch.squares;
    for (std::int64_t column = 0; column < width_; ++column) {
        const std::int64_t tile_column = block_.columns.begin + column;
        const auto vector = vector_of(tile_column);
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            const auto tile = input(Operand::b, {inner, tile_column});
            const std::int64_t rows = problem_.extent(inner);
            for_rows(threads_, rows, [&](std::int64_t row) {
                const Sums sums =
                    sums_of(tile.subspan(at(row) * vector.size(), vector.size()), vector);
                products[at((problem_.begin(inner) + row) * width_ + column)] = sums.product;
                squares[at(row)] = sums.squares;
            });
            for (std::int64_t row = 0; row < rows; ++row) {
                buffers_.column_norms[at(column)] += squares[at(row)];
            }
        }
    }
}

void Freivalds::multiply_a(const ReadInput& input, const Scratch& scratch) {
    for (std::int64_t tile_row = block_.rows.begin; tile_row < block_.rows.end; ++tile_row) {
        const std::int64_t first = problem_.begin(tile_row) - problem_.begin(block_.rows.begin);
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            const auto tile = input(Operand::a, {tile_row, inner});
            const std::int64_t columns = problem_.extent(inner);
            const double* const factors = &scratch.products[at(problem_.begin(inner) * width_)];
            for_rows(threads_, problem_.extent(tile_row), [&](std::int64_t row) {
                const float* const values = &tile[at(row * columns)];
                double* const sums = &buffers_.expected[at((first + row) * width_)];
                double squares = 0;
                for (std::int64_t k = 0; k < columns; ++k) {
                    const double value = values[k];
                    squares += value * value;
                    for (std::int64_t column = 0; column < width_; ++column) {
                        sums[column] += value * factors[k * width_ + column];
                    }
                }
                buffers_.row_norms[at(first + row)] += squares;
            });
        }
    }
}

double Freivalds::bound(std::int64_t row, std::int64_t column) const {
    const auto n = static_cast<double>(problem_.size);
    const double norms = std::sqrt(buffers_.row_norms[at(row)]) *
                         std::sqrt(buffers_.column_norms[at(column - block_.columns.begin)]);
    const double lost = n * static_cast<double>(problem_.extent(column)) * least_subnormal;
    const double of_format = math_ == device::Math::tf32 ? 7 * (0x1p-9 + n * 0x1p-25) : 0;
    return (std::sqrt(n + few_roundings) * unit_roundoff + of_format) * norms + lost;
}

double Freivalds::deviation(Product& product) const {
    std::vector<double> of_row(at(problem_.extent(0)));
    double largest = 0;
    for (std::int64_t tile_row = block_.rows.begin; tile_row < block_.rows.end; ++tile_row) {
        const std::int64_t first = problem_.begin(tile_row) - problem_.begin(block_.rows.begin);
        const std::int64_t rows = problem_.extent(tile_row);
        for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
            if (!product.owns({tile_row, column})) {
                continue;
            }
            const auto tile = product.result({tile_row, column});
            const auto vector = vector_of(column);
            for_rows(threads_, rows, [&](std::int64_t row) {
                const Sums sums =
                    sums_of(tile.subspan(at(row) * vector.size(), vector.size()), vector);
                const double expected =
                    buffers_.expected[at((first + row) * width_ + column - block_.columns.begin)];
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

}  // namespace quartet::matmul
