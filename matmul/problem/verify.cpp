#include "matmul/problem/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data_source.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"
#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

constexpr std::int64_t least_edge = 64;
constexpr std::int64_t most_edge = 256;
constexpr int small_exponent = -21;  // of a half's subnormal numbers

/// The product of arithmetic_of(): A = (full, picks, counts), B = (picks, full, counts). `outer` is
/// a row of A or a column of B.
class ExactProduct {
  public:
    explicit ExactProduct(std::int64_t edge) : edge_(edge), third_(edge / 3) {}

    void fill(Operand operand, std::span<float> matrix) const;
    /// The largest relative error of a full number: of one near 1, or of a small one.
    [[nodiscard]] double error(std::span<const float> a, std::span<const float> b,
                               std::span<const float> c, bool of_small) const;
    [[nodiscard]] bool has_exact_sums(std::span<const float> a, std::span<const float> b,
                                      std::span<const float> c) const;

  private:
    [[nodiscard]] static bool is_small(std::int64_t inner) { return inner % 2 == 1; }
    [[nodiscard]] std::int64_t picked(std::int64_t outer) const { return 3 * outer % edge_; }
    [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row * edge_ + column);
    }

    std::int64_t edge_;
    std::int64_t third_;
};

void ExactProduct::fill(Operand operand, std::span<float> matrix) const {
    const bool of_a = operand == Operand::a;
    std::vector<std::uint32_t> bits(matrix.size());
    DataSource(1, "matmul/arithmetic/" + std::string(name(operand))).fill_bits(bits, 0);
    for (std::int64_t outer = 0; outer < edge_; ++outer) {
        for (std::int64_t inner = 0; inner < edge_; ++inner) {
            const std::size_t place = of_a ? at(outer, inner) : at(inner, outer);
            const std::int64_t part = outer / third_;
            if (part >= 2) {
                matrix[place] = static_cast<float>(1 + bits[place] % 255);
            } else if ((part == 0) == of_a) {  // 24 bits, the first and the last of them set
                const auto odd = static_cast<float>(bits[place] >> 8U | 0x800001U);
                matrix[place] = std::ldexp(odd, (is_small(inner) ? small_exponent : 0) - 23);
            } else {
                matrix[place] = inner == picked(outer) ? 1.0F : 0.0F;
            }
        }
    }
}

double ExactProduct::error(std::span<const float> a, std::span<const float> b,
                           std::span<const float> c, bool of_small) const {
    double largest = 0;
    const auto compare = [&](std::int64_t inner, double full, double found) {
        const double error = std::abs(found - full) / full;
        if (is_small(inner) == of_small && !(error <= largest)) {
            largest = std::isnan(error) ? HUGE_VAL : error;
        }
    };
    for (std::int64_t row = 0; row < third_; ++row) {
        for (std::int64_t column = 0; column < third_; ++column) {
            const std::int64_t of_a = picked(column);
            compare(of_a, a[at(row, of_a)], c[at(row, column)]);
            const std::int64_t of_b = picked(third_ + row);
            compare(of_b, b[at(of_b, third_ + column)], c[at(third_ + row, third_ + column)]);
        }
    }
    return largest;
}

bool ExactProduct::has_exact_sums(std::span<const float> a, std::span<const float> b,
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

/// A way to make less of float32's numbers: its largest relative error is from half of what
/// rounding to nearest makes to what cutting off does.
struct Format {
    std::string_view name;
    double above;  ///< not included
    double most;
};

// Of p bits: 2^-p by rounding, 2^-(p-1) by cutting off. The products of two or three numbers each
// lose the last bits of twice as many.
constexpr Format tf32{"tf32", 0x1p-12, 0x1p-10};
constexpr Format formats[] = {
    tf32, {"bf16", 0x1p-9, 0x1p-7}, {"bf16x3", 0x1p-18, 0x1p-14}, {"tf32x3", 0x1p-24, 0x1p-21}};

bool is_in(const Format& format, double error) {
    return error > format.above && error <= format.most;
}

std::string_view name_of(double error, double error_of_small) {
    if (error == 0 && error_of_small == 0) {
        return "fp32";
    }
    if (is_in(tf32, error) && error_of_small > tf32.most) {
        return "fp16";
    }
    const double larger = std::max(error, error_of_small);
    const auto* const format = std::ranges::find_if(
        formats, [&](const Format& one) { return is_in(one, larger) && is_in(one, error); });
    return format == std::end(formats) ? "other" : format->name;
}

}  // namespace

Multiply multiply_on(device::Device& device, device::Stream& stream) {
    return [&device, &stream](std::int64_t edge, device::View<const float> a,
                              device::View<const float> b, device::View<float> c) {
        const device::GemmShape shape{edge, edge, edge};
        if (!device::has_own_memory(device)) {
            device.blas().gemm(shape, a, b, c, device::Update::replace, stream);
            stream.synchronize();
            return;
        }
        auto left = device::allocate<float>(device, edge * edge);
        auto right = device::allocate<float>(device, edge * edge);
        auto product = device::allocate<float>(device, edge * edge);
        device.copy(device::as_bytes(a), device::as_bytes(left.view()), stream);
        device.copy(device::as_bytes(b), device::as_bytes(right.view()), stream);
        device.blas().gemm(shape, left.view(), right.view(), product.view(),
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
    exact.fill(Operand::a, a.span());
    exact.fill(Operand::b, b.span());
    multiply(edge, a.view(), b.view(), c.view());
    const auto error = [&](bool of_small) {
        return exact.error(a.span(), b.span(), c.span(), of_small);
    };
    const std::string name(name_of(error(false), error(true)));
    return exact.has_exact_sums(a.span(), b.span(), c.span()) ? name : name + " with narrow sums";
}

RecordedSums::RecordedSums(std::filesystem::path folder) : folder_(std::move(folder)) {
    if (is_there(folder_ / "manifest.json")) {
        sums_ = read_manifest(folder_).checksums;
    }
}

void RecordedSums::compare(Operand operand, TileIndex tile, std::span<const float> elements) const {
    if (sums_.empty()) {
        return;
    }
    const std::string file = tile_file(name(operand), tile.row, tile.column);
    const auto recorded = sums_.find(file);
    if (recorded != sums_.end() && checksum(std::as_bytes(elements)) != recorded->second) {
        throw Failure(fmt::format(
            "{} was not read as the manifest says (its checksum differs): run again; if it differs "
            "again, make it again",
            quotation((folder_ / file).native())));
    }
}

namespace {

constexpr double unit_roundoff = 0x1p-24;
constexpr double few_roundings = 64;  // up to which the normal law does not hold
constexpr double of_sums = 1.3;
constexpr double of_signs = 7;  // Hoeffding

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
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        multiply_a(input, row, scratch);
    }
}

std::span<const double> Freivalds::vector_of(std::int64_t column) const {
    const std::int64_t first = problem_.begin(column) - problem_.begin(block_.columns.begin);
    return std::span(buffers_.vectors).subspan(at(first), at(problem_.extent(column)));
}

std::size_t Freivalds::place(std::int64_t tile_row, std::int64_t row) const {
    const std::int64_t first = problem_.begin(tile_row) - problem_.begin(block_.rows.begin);
    return at((first + row) * width_);
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
            });
            for (std::int64_t row = 0; row < rows; ++row) {
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
            buffers_.row_norms[place(tile_row, row) / at(width_)] += squares;
        });
    }
}

double Freivalds::bound(std::int64_t row, std::int64_t column) const {
    const auto n = static_cast<double>(problem_.size);
    const std::size_t own = at(column - block_.columns.begin);
    const double h = std::sqrt(buffers_.row_norms[at(row)]) * std::sqrt(buffers_.column_norms[own]);
    const double of_format = math_ == device::Math::tf32 ? of_signs * (0x1p-9 + n * 0x1p-25) : 0;
    return (of_sums * std::sqrt(n + few_roundings) * unit_roundoff + of_format) * h;
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
