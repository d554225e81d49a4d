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
constexpr double of_even_sums = 1.3;
constexpr double of_uneven_sums = 4;
constexpr double of_signs = 7;  // Hoeffding
constexpr double lost_below = 2 * unit_roundoff;
constexpr double equal_within = 0x1p-16;
// Columns of a smaller norm count as of this one, lest what their subnormal products lose weighs
// more than the roundings of others.
constexpr int least_exponent = -100;

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

// What the additions of a term to a sum may lose, all to one side: the whole is of n terms.
double loss_of(double term, double whole, double n) {
    const double mean = whole / n;
    return term < lost_below * whole                     ? term
           : std::abs(term - mean) < equal_within * mean ? unit_roundoff / 2 * whole
                                                         : 0;
}

struct Sums {
    double product = 0;
    double squares = 0;  ///< of the terms of the product
};

Sums sums_of(std::span<const float> row, std::span<const double> vector) {
    constexpr std::size_t lanes = 16;
    std::array<double, lanes> products{};
    std::array<double, lanes> squares{};
    std::size_t first = 0;
    for (; first + lanes <= row.size(); first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double term = row[first + lane] * vector[first + lane];
            products[lane] += term;
            squares[lane] += term * term;
        }
    }
    Sums sums;
    for (; first < row.size(); ++first) {
        const double term = row[first] * vector[first];
        sums.product += term;
        sums.squares += term * term;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        sums.product += products[lane];
        sums.squares += squares[lane];
    }
    return sums;
}

}  // namespace

Freivalds::Buffers::Buffers(bench::Arena& arena, const Problem& problem, const Block& block,
                            Numbers numbers)
    : vectors(arena.make_vector<double>(elements_of(problem, block.columns).size())),
      weights(arena.make_vector<double>(block.columns.size())),
      expected(arena.make_vector<double>(elements_of(problem, block.rows).size() *
                                         block.columns.size())) {
    if (numbers == Numbers::own) {
        bounds = arena.make_vector<double>(elements_of(problem, block.rows).size() *
                                           block.columns.size());
    } else {
        row_norms = arena.make_vector<double>(elements_of(problem, block.rows).size());
        column_norms = arena.make_vector<double>(block.columns.size());
    }
}

Freivalds::Scratch::Scratch(bench::Arena& arena, const Problem& problem, const Block& block,
                            Numbers numbers)
    : products(arena.make_vector<double>(problem.size * block.columns.size())),
      squares(arena.make_vector<double>(problem.extent(0))) {
    if (numbers == Numbers::own) {
        sizes = arena.make_vector<double>(problem.size * block.columns.size());
        lost = arena.make_vector<double>(problem.extent(0) * block.columns.size());
    }
}

void Freivalds::count(bench::Arena& arena, const Problem& problem, const Block& block,
                      Numbers numbers) {
    const Buffers buffers(arena, problem, block, numbers);
    const Scratch scratch(arena, problem, block, numbers);
}

Freivalds::Freivalds(bench::Arena& arena, const Problem& problem, const Block& block, int threads,
                     Product& product, const RecordedSums& recorded, Arithmetic arithmetic)
    : problem_(problem),
      block_(block),
      threads_(threads),
      arithmetic_(arithmetic),
      width_(block.columns.size()),
      buffers_(arena, problem, block, arithmetic.numbers) {
    if (block.empty()) {
        return;
    }
    fill_random(problem, elements_of(problem, block.columns), buffers_.vectors);
    const auto input = [&](Operand operand, TileIndex tile) {
        const auto elements = product.input(operand, tile);
        recorded.compare(operand, tile, elements);
        return elements;
    };
    Scratch scratch(arena, problem, block, arithmetic.numbers);
    weigh_columns(input, scratch);
    multiply_b(input, scratch);
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        multiply_a(input, row, scratch);
        if (is_own()) {
            find_lost(input, row, scratch);
            make_bounds(row, scratch);
        }
    }
}

std::span<const double> Freivalds::vector_of(std::int64_t column) const {
    const std::int64_t first = problem_.begin(column) - problem_.begin(block_.columns.begin);
    return std::span(buffers_.vectors).subspan(at(first), at(problem_.extent(column)));
}

std::span<double> Freivalds::vector_of(std::int64_t column) {
    const std::int64_t first = problem_.begin(column) - problem_.begin(block_.columns.begin);
    return std::span(buffers_.vectors).subspan(at(first), at(problem_.extent(column)));
}

std::size_t Freivalds::place(std::int64_t tile_row, std::int64_t row) const {
    const std::int64_t first = problem_.begin(tile_row) - problem_.begin(block_.rows.begin);
    return at((first + row) * width_);
}

// Each column by one thread, so that sums do not depend on their number.
void Freivalds::add_squares(std::span<const float> tile, std::span<double> squares) const {
    system::parallel_parts(threads_, [&](int part) {
        const Range mine = block_range(std::ssize(squares), threads_, part);
        for (std::size_t row = 0; row < tile.size(); row += squares.size()) {
            for (std::size_t c = at(mine.begin); c < at(mine.end); ++c) {
                squares[c] += static_cast<double>(tile[row + c]) * tile[row + c];
            }
        }
    });
}

// A column of zeros makes zeros without rounding: whatever else is there shows.
void Freivalds::weigh_columns(const ReadInput& input, Scratch& scratch) {
    for (std::int64_t column = 0; column < width_; ++column) {
        const std::int64_t tile_column = block_.columns.begin + column;
        const auto vector = vector_of(tile_column);
        const auto squares = std::span(scratch.squares).first(vector.size());
        std::ranges::fill(squares, is_own() ? 0.0 : 1.0);
        for (std::int64_t inner = 0; is_own() && inner < problem_.tiles(); ++inner) {
            add_squares(input(Operand::b, {inner, tile_column}), squares);
        }
        double& weight = buffers_.weights[at(column)];
        for (std::size_t c = 0; c < vector.size(); ++c) {
            const int exponent =
                squares[c] > 0 ? std::ilogb(std::sqrt(squares[c])) : least_exponent;
            vector[c] = std::ldexp(vector[c], -std::max(exponent, least_exponent));
            weight += squares[c] > 0 ? std::abs(vector[c]) : 0;
        }
    }
}

void Freivalds::multiply_b(const ReadInput& input, Scratch& scratch) {
    for (std::int64_t column = 0; column < width_; ++column) {
        const std::int64_t tile_column = block_.columns.begin + column;
        const std::span<const double> vector = vector_of(tile_column);
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            const auto tile = input(Operand::b, {inner, tile_column});
            const std::int64_t rows = problem_.extent(inner);
            for_rows(threads_, rows, [&](std::int64_t row) {
                const Sums sums =
                    sums_of(tile.subspan(at(row) * vector.size(), vector.size()), vector);
                const std::size_t target = at((problem_.begin(inner) + row) * width_ + column);
                scratch.products[target] = sums.product;
                scratch.squares[at(row)] = sums.squares;
                if (is_own()) {
                    scratch.sizes[target] = std::sqrt(sums.squares);
                }
            });
            for (std::int64_t row = 0; !is_own() && row < rows; ++row) {
                buffers_.column_norms[at(column)] += scratch.squares[at(row)];
            }
        }
    }
}

void Freivalds::multiply_a(const ReadInput& input, std::int64_t tile_row, const Scratch& scratch) {
    for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
        const auto tile = input(Operand::a, {tile_row, inner});
        const std::int64_t columns = problem_.extent(inner);
        const std::size_t first = at(problem_.begin(inner) * width_);
        for_rows(threads_, problem_.extent(tile_row), [&](std::int64_t row) {
            const auto values = tile.subspan(at(row * columns), at(columns));
            const double* factors = &scratch.products[first];
            double* const sums = &buffers_.expected[place(tile_row, row)];
            double squares = 0;
            for (const double value : values) {
                squares += value * value;
                for (std::int64_t column = 0; column < width_; ++column) {
                    sums[column] += value * factors[column];
                }
                factors += width_;
            }
            if (is_own()) {
                add_sizes(values, &scratch.sizes[first], &buffers_.bounds[place(tile_row, row)]);
            } else {
                buffers_.row_norms[place(tile_row, row) / at(width_)] += squares;
            }
        });
    }
}

void Freivalds::add_sizes(std::span<const float> values, const double* sizes, double* whole) const {
    for (const double value : values) {
        for (std::int64_t column = 0; column < width_; ++column) {
            whole[column] += std::abs(value) * sizes[column];
        }
        sizes += width_;
    }
}

// What roundings to one side may lose: of terms that are lost beside the whole, and of equal ones.
void Freivalds::find_lost(const ReadInput& input, std::int64_t tile_row, Scratch& scratch) const {
    std::ranges::fill(scratch.lost, 0.0);
    const auto n = static_cast<double>(problem_.size);
    for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
        const auto tile = input(Operand::a, {tile_row, inner});
        const std::int64_t columns = problem_.extent(inner);
        const double* const sizes = &scratch.sizes[at(problem_.begin(inner) * width_)];
        for_rows(threads_, problem_.extent(tile_row), [&](std::int64_t row) {
            const float* const values = &tile[at(row * columns)];
            const double* const whole = &buffers_.bounds[place(tile_row, row)];
            double* const lost = &scratch.lost[at(row * width_)];
            for (std::int64_t k = 0; k < columns; ++k) {
                const double size = std::abs(static_cast<double>(values[k]));
                for (std::int64_t column = 0; column < width_; ++column) {
                    lost[column] += loss_of(size * sizes[k * width_ + column], whole[column], n);
                }
            }
        });
    }
}

void Freivalds::make_bounds(std::int64_t tile_row, const Scratch& scratch) {
    for (std::int64_t row = 0; row < problem_.extent(tile_row); ++row) {
        for (std::int64_t column = 0; column < width_; ++column) {
            double& bound = buffers_.bounds[place(tile_row, row) + at(column)];
            bound = allowed(of_uneven_sums, bound, column) +
                    of_signs * scratch.lost[at(row * width_ + column)];
        }
    }
}

// `column` is one of the block's.
double Freivalds::allowed(double factor, double h, std::int64_t column) const {
    const auto n = static_cast<double>(problem_.size);
    const double of_format =
        arithmetic_.math == device::Math::tf32 ? of_signs * (0x1p-9 + n * 0x1p-25) : 0;
    return (factor * std::sqrt(n + few_roundings) * unit_roundoff + of_format) * h +
           n * buffers_.weights[at(column)] * least_subnormal;
}

double Freivalds::bound(std::int64_t row, std::int64_t column) const {
    const std::int64_t own = column - block_.columns.begin;
    if (is_own()) {
        return buffers_.bounds[at(row * width_ + own)];
    }
    return allowed(
        of_even_sums,
        std::sqrt(buffers_.row_norms[at(row)]) * std::sqrt(buffers_.column_norms[at(own)]), own);
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
                const double deviation = std::abs(
                    sums.product -
                    buffers_.expected[place(tile_row, row) + at(column - block_.columns.begin)]);
                of_row[at(row)] = deviation == 0 ? 0 : deviation / bound(first + row, column);
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
