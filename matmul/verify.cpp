#include "matmul/verify.hpp"

#include <algorithm>
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

namespace {

constexpr std::int64_t least_edge = 64;
constexpr std::int64_t most_edge = 256;
constexpr int small_exponent = -21;  // of a half's subnormal numbers

/// The product of arithmetic_of(). `outer` is a row of A or a column of B.
class ExactProduct {
  public:
    explicit ExactProduct(std::int64_t edge) : edge_(edge), third_(edge / 3) {}

    void fill_a(std::span<float> a) const {
        fill("A", 0, a,
             [this](std::int64_t outer, std::int64_t inner) { return at(outer, inner); });
    }
    void fill_b(std::span<float> b) const {
        fill("B", 1, b,
             [this](std::int64_t outer, std::int64_t inner) { return at(inner, outer); });
    }
    /// The largest relative error of an element of F in C.
    [[nodiscard]] double error(std::span<const float> a, std::span<const float> b,
                               std::span<const float> c) const {
        double largest = 0;
        const auto compare = [&](double full, double found) {
            const double error = std::abs(found - full) / full;
            largest = std::isnan(error) ? HUGE_VAL : std::max(largest, error);
        };
        for (std::int64_t row = 0; row < third_; ++row) {
            for (std::int64_t column = 0; column < third_; ++column) {
                compare(a[at(row, picked(column))], c[at(row, column)]);
                compare(b[at(picked(third_ + row), third_ + column)],
                        c[at(third_ + row, third_ + column)]);
            }
        }
        return largest;
    }
    [[nodiscard]] bool has_exact_sums(std::span<const float> a, std::span<const float> b,
                                      std::span<const float> c) const {
        const std::int64_t first = 2 * third_;
        std::vector<double> sums(static_cast<std::size_t>(edge_ - first));
        for (std::int64_t row = first; row < edge_; ++row) {
            std::ranges::fill(sums, 0);
            for (std::int64_t inner = 0; inner < edge_; ++inner) {
                const double left = a[at(row, inner)];
                const float* const right = &b[at(inner, first)];
                for (std::size_t column = 0; column < sums.size(); ++column) {
                    sums[column] += left * static_cast<double>(right[column]);
                }
            }
            const auto found = c.subspan(at(row, first), sums.size());
            if (!std::ranges::equal(sums, found, std::equal_to<double>())) {
                return false;
            }
        }
        return true;
    }

  private:
    [[nodiscard]] std::int64_t picked(std::int64_t outer) const { return 3 * outer % edge_; }
    [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row * edge_ + column);
    }
    /// F is third number `full` of the matrix; place(outer, inner) is the index of an element.
    template <typename Place>
    void fill(const char* name, std::int64_t full, std::span<float> matrix, Place place) const {
        std::vector<std::uint32_t> bits(matrix.size());
        DataSource(1, std::string("matmul/arithmetic/") + name).fill_bits(bits, 0);
        for (std::int64_t outer = 0; outer < edge_; ++outer) {
            for (std::int64_t inner = 0; inner < edge_; ++inner) {
                const std::size_t own = place(outer, inner);
                if (outer >= 2 * third_) {
                    matrix[own] = static_cast<float>(1 + bits[own] % 255);
                } else if (outer / third_ == full) {  // 24 bits, the first and the last of them set
                    const auto odd = static_cast<float>(bits[own] >> 8U | 0x800001U);
                    matrix[own] = std::ldexp(odd, (inner % 2 == 1 ? small_exponent : 0) - 23);
                } else {
                    matrix[own] = inner == picked(outer) ? 1.0F : 0.0F;
                }
            }
        }
    }

    std::int64_t edge_;
    std::int64_t third_;
};

// The largest error in a format of p bits is 2^-p if it rounds to nearest and 2^-(p-1) if it cuts
// off. Half of the former is taken as the least. Formats with other errors have no name here.
std::string name_of(double error) {
    const auto is_of = [error](int bits) {
        return error > std::ldexp(1, -bits - 1) && error <= std::ldexp(1, 1 - bits);
    };
    return error == 0 ? "fp32" : is_of(11) ? "tf32" : is_of(8) ? "bf16" : "other";
}

}  // namespace

Multiply multiply_on(device::Device& device, device::Stream& stream) {
    return [&device, &stream](std::int64_t edge, device::View<const float> a,
                              device::View<const float> b, device::View<float> c) {
        auto left = device::allocate<float>(device, edge * edge);
        auto right = device::allocate<float>(device, edge * edge);
        auto product = device::allocate<float>(device, edge * edge);
        device.copy(device::as_bytes(a), device::as_bytes(left.view()), stream);
        device.copy(device::as_bytes(b), device::as_bytes(right.view()), stream);
        device.blas().gemm({edge, edge, edge}, left.view(), right.view(), product.view(),
                           device::Update::replace, stream);
        device.copy(device::as_bytes(device::View<const float>(product.view())),
                    device::as_bytes(c), stream);
        stream.synchronize();
    };
}

std::string arithmetic_of(device::Device& device, std::int64_t tile, const Multiply& multiply) {
    const std::int64_t edge = std::clamp(tile, least_edge, most_edge);
    const auto make = [&] {
        return device::allocate<float>(device, edge * edge, device::MemoryKind::host);
    };
    auto a = make();
    auto b = make();
    auto c = make();
    const ExactProduct exact(edge);
    exact.fill_a(a.span());
    exact.fill_b(b.span());
    multiply(edge, a.view(), b.view(), c.view());
    const std::string name = name_of(exact.error(a.span(), b.span(), c.span()));
    return exact.has_exact_sums(a.span(), b.span(), c.span()) ? name : name + " with narrow sums";
}

}  // namespace quartet::matmul
