#include "matmul/problem/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/data_source.hpp"

namespace quartet::matmul {

namespace {

constexpr std::int64_t least_edge = 64;
constexpr std::int64_t most_edge = 256;
constexpr int small_exponent = -21;  // of a half's subnormal numbers

/// The product of arithmetic.hpp: A = (full, picks, counts), B = (picks, full, counts).
class ExactProduct {
  public:
    explicit ExactProduct(std::int64_t edge) : edge_(edge), third_(edge / 3) {}

    void fill_a(std::span<float> a) const {
        fill(a, "A", [this](std::int64_t row, std::int64_t inner, std::uint32_t bits) {
            return row < third_ ? full(inner, bits) : other(row, inner, bits);
        });
    }
    void fill_b(std::span<float> b) const {
        fill(b, "B", [this](std::int64_t inner, std::int64_t column, std::uint32_t bits) {
            return column >= third_ && column < 2 * third_ ? full(inner, bits)
                   : column < third_                       ? picks(column, inner)
                                                           : count(bits);
        });
    }
    /// The largest relative error of a full number: of one near 1, or of a small one.
    [[nodiscard]] double error(std::span<const float> a, std::span<const float> b,
                               std::span<const float> c, bool of_small) const;
    [[nodiscard]] bool has_exact_sums(std::span<const float> a, std::span<const float> b,
                                      std::span<const float> c) const;

  private:
    template <typename Value>
    void fill(std::span<float> matrix, std::string_view name, Value value) const {
        std::vector<std::uint32_t> bits(matrix.size());
        DataSource(1, std::string("matmul/arithmetic/") + std::string(name)).fill_bits(bits, 0);
        for (std::int64_t row = 0; row < edge_; ++row) {
            for (std::int64_t column = 0; column < edge_; ++column) {
                matrix[at(row, column)] = value(row, column, bits[at(row, column)]);
            }
        }
    }
    [[nodiscard]] float other(std::int64_t row, std::int64_t inner, std::uint32_t bits) const {
        return row < 2 * third_ ? picks(row, inner) : count(bits);
    }
    [[nodiscard]] static bool is_small(std::int64_t inner) { return inner % 2 == 1; }
    /// 24 bits, the first and the last of them set.
    [[nodiscard]] static float full(std::int64_t inner, std::uint32_t bits) {
        const auto odd = static_cast<float>(bits >> 8U | 0x800001U);
        return std::ldexp(odd, (is_small(inner) ? small_exponent : 0) - 23);
    }
    [[nodiscard]] static float count(std::uint32_t bits) {
        return static_cast<float>(1 + bits % 255);
    }
    [[nodiscard]] float picks(std::int64_t row_or_column, std::int64_t inner) const {
        return inner == picked(row_or_column) ? 1.0F : 0.0F;
    }
    [[nodiscard]] std::int64_t picked(std::int64_t row_or_column) const {
        return 3 * row_or_column % edge_;
    }
    [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row * edge_ + column);
    }

    std::int64_t edge_;
    std::int64_t third_;
};

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
    exact.fill_a(a.span());
    exact.fill_b(b.span());
    multiply(edge, a.view(), b.view(), c.view());
    const auto error = [&](bool of_small) {
        return exact.error(a.span(), b.span(), c.span(), of_small);
    };
    const std::string name(name_of(error(false), error(true)));
    return exact.has_exact_sums(a.span(), b.span(), c.span()) ? name : name + " with narrow sums";
}

}  // namespace quartet::matmul
