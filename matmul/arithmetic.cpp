#include "matmul/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/data_source.hpp"

namespace quartet::matmul {

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
                               std::span<const float> c) const;
    [[nodiscard]] bool has_exact_sums(std::span<const float> a, std::span<const float> b,
                                      std::span<const float> c) const;

  private:
    [[nodiscard]] std::int64_t picked(std::int64_t outer) const { return 3 * outer % edge_; }
    [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row * edge_ + column);
    }
    /// F is third number `full` of the matrix; place(outer, inner) is the index of an element.
    template <typename Place>
    void fill(const char* name, std::int64_t full, std::span<float> matrix, Place place) const;

    std::int64_t edge_;
    std::int64_t third_;
};

template <typename Place>
void ExactProduct::fill(const char* name, std::int64_t full, std::span<float> matrix,
                        Place place) const {
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

double ExactProduct::error(std::span<const float> a, std::span<const float> b,
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
    const std::string name = name_of(exact.error(a.span(), b.span(), c.span()));
    return exact.has_exact_sums(a.span(), b.span(), c.span()) ? name : name + " with narrow sums";
}

}  // namespace quartet::matmul
