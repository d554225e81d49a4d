#include <bit>
#include <cstdint>
#include <string>

#include "core/environment.hpp"

/// A BLAS that keeps QUARTET_STAND_IN_BITS bits of each number that it multiplies, 24 unless that
/// says otherwise: a program linked with it takes its products of float32 instead of the library's.
/// Integers are the lower halves of 64-bit ones where the library counts in those.

namespace {

float rounded(float value, unsigned bits) {
    const unsigned unit = 1U << (24 - bits);
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + unit / 2) & ~(unit - 1));
}

/// A matrix by columns, or by rows if it is transposed.
struct Operand {
    const float* elements;
    std::int64_t step;
    bool transposed;

    [[nodiscard]] float at(std::int64_t row, std::int64_t column) const {
        return elements[transposed ? row * step + column : row + column * step];
    }
};

struct Target {
    float* elements;
    std::int64_t step;
    int rows;
    int columns;
};

void multiply(const Operand& a, const Operand& b, const Target& c, int inner, float alpha,
              float beta) {
    const unsigned bits = static_cast<unsigned>(
        std::stoul(quartet::Environment().get("QUARTET_STAND_IN_BITS").value_or("24")));
    for (int column = 0; column < c.columns; ++column) {
        for (int row = 0; row < c.rows; ++row) {
            float sum = 0;
            for (int k = 0; k < inner; ++k) {
                sum += rounded(a.at(row, k), bits) * rounded(b.at(k, column), bits);
            }
            float& target = c.elements[row + column * c.step];
            target = alpha * sum + (beta == 0 ? 0 : beta * target);
        }
    }
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the library's names

/// By rows and never transposed, as quartet calls it: by columns that is C' = B' A'.
void cblas_sgemm(int /*order*/, int /*transpose_a*/, int /*transpose_b*/, int rows, int columns,
                 int inner, float alpha, const float* a, int a_step, const float* b, int b_step,
                 float beta, float* c, int c_step) {
    multiply({b, b_step, false}, {a, a_step, false}, {c, c_step, columns, rows}, inner, alpha,
             beta);
}

void sgemm_(const char* transpose_a, const char* transpose_b, const int* rows, const int* columns,
            const int* inner, const float* alpha, const float* a, const int* a_step, const float* b,
            const int* b_step, const float* beta, float* c, const int* c_step) {
    const auto is_transposed = [](const char* word) { return *word != 'N' && *word != 'n'; };
    multiply({a, *a_step, is_transposed(transpose_a)}, {b, *b_step, is_transposed(transpose_b)},
             {c, *c_step, *rows, *columns}, *inner, *alpha, *beta);
}

// NOLINTEND(readability-identifier-naming)
}
