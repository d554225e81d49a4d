#include "matmul/verify.hpp"

#include <array>
#include <cmath>

#include "core/data_source.hpp"
#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

constexpr double unit_roundoff = 0x1p-24;
constexpr double few_roundings = 64;  // up to which the normal law does not hold
constexpr double sums_factor = 1.3;
constexpr double signs_factor = 7;

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

// A row's product is made by one thread: it does not depend on the number of threads.
double product_of(std::span<const float> row, std::span<const double> vector) {
    constexpr std::size_t lanes = 16;
    std::array<double, lanes> products{};
    std::size_t first = 0;
    for (; first + lanes <= row.size(); first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            products[lane] += row[first + lane] * vector[first + lane];
        }
    }
    double sum = 0;
    for (; first < row.size(); ++first) {
        sum += row[first] * vector[first];
    }
    for (const double product : products) {
        sum += product;
    }
    return sum;
}

}  // namespace

Freivalds::Freivalds(device::Arena& arena, const Problem& problem, const Block& block, int threads,
                     device::Math math)
    : problem_(problem),
      block_(block),
      threads_(threads),
      math_(math),
      width_(block.columns.size()),
      vectors_(arena.make_vector<double>(elements_of(problem, block.columns).size())),
      expected_(arena.make_vector<double>(elements_of(problem, block.rows).size() * width_)) {
    arena.reserve_for_set_up(bytes_of<double>(problem.size * width_));
}

void Freivalds::set_up(Product& product) {
    if (block_.empty()) {
        return;
    }
    fill_random(problem_, elements_of(problem_, block_.columns), vectors_);
    // B(:,j) y_j: [row of B][tile column].
    std::vector<double> products(at(problem_.size * width_));
    multiply_b(product, products);
    multiply_a(product, products);
}

std::span<const double> Freivalds::vector_of(std::int64_t column) const {
    const std::int64_t first = problem_.begin(column) - problem_.begin(block_.columns.begin);
    return std::span(vectors_).subspan(at(first), at(problem_.extent(column)));
}

std::size_t Freivalds::place(std::int64_t tile_row, std::int64_t row) const {
    const std::int64_t first = problem_.begin(tile_row) - problem_.begin(block_.rows.begin);
    return at((first + row) * width_);
}

void Freivalds::multiply_b(Product& product, std::span<double> products) {
    for (std::int64_t column = 0; column < width_; ++column) {
        const auto vector = vector_of(block_.columns.begin + column);
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            const auto tile = product.input(Operand::b, {inner, block_.columns.begin + column});
            const std::int64_t first = problem_.begin(inner);
            system::parallel_for(threads_, problem_.extent(inner), [&](std::int64_t row) {
                products[at((first + row) * width_ + column)] =
                    product_of(tile.subspan(at(row) * vector.size(), vector.size()), vector);
            });
        }
    }
}

void Freivalds::multiply_a(Product& product, std::span<const double> products) {
    for_each_tile({block_.rows, {0, problem_.tiles()}}, [&](TileIndex index) {
        const auto tile = product.input(Operand::a, index);
        const std::int64_t columns = problem_.extent(index.column);
        system::parallel_for(threads_, problem_.extent(index.row), [&](std::int64_t row) {
            const double* factors = &products[at(problem_.begin(index.column) * width_)];
            double* const sums = &expected_[place(index.row, row)];
            for (const double value : tile.subspan(at(row * columns), at(columns))) {
                for (std::int64_t column = 0; column < width_; ++column) {
                    sums[column] += value * factors[column];
                }
                factors += width_;
            }
        });
    });
}

double Freivalds::bound(std::int64_t column) const {
    const auto n = static_cast<double>(problem_.size);
    const auto columns = static_cast<double>(problem_.extent(column));
    const double h = n * std::sqrt(7 * columns / 108);
    const double of_format =
        math_ == device::Math::tf32 ? signs_factor * (0x1p-9 + n * 0x1p-25) : 0;
    return (sums_factor * std::sqrt(n + few_roundings) * unit_roundoff + of_format) * h;
}

double Freivalds::deviation(Product& product) const {
    std::vector<double> of_row(at(problem_.extent(0)));
    double largest = 0;
    for_each_tile(block_, [&](TileIndex index) {
        if (!product.owns(index)) {
            return;
        }
        const auto tile = product.result(index);
        const auto vector = vector_of(index.column);
        const std::int64_t rows = problem_.extent(index.row);
        system::parallel_for(threads_, rows, [&](std::int64_t row) {
            const double found =
                product_of(tile.subspan(at(row) * vector.size(), vector.size()), vector);
            const std::size_t own = place(index.row, row) + at(index.column - block_.columns.begin);
            of_row[at(row)] = std::abs(found - expected_[own]);
        });
        for (std::int64_t row = 0; row < rows; ++row) {
            const double units = of_row[at(row)] / bound(index.column);
            if (!(units <= largest) && !std::isnan(largest)) {  // NaN stays
                largest = units;
            }
        }
    });
    return largest;
}

}  // namespace quartet::matmul
