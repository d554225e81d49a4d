#include <vector>

#include "tests/faults/lie.hpp"

// A BLAS that lies about the products that quartet and ScaLAPACK ask it for (lie.hpp). The integers
// of a library that counts in 64 bits have theirs as lower halves.

using namespace quartet;

namespace {

using Sgemm = void(const char*, const char*, const int*, const int*, const int*, const float*,
                   const float*, const int*, const float*, const int*, const float*, float*,
                   const int*);
using CblasSgemm = void(int, int, int, int, int, int, float, const float*, int, const float*, int,
                        float, float*, int);
using CblasDgemv = void(int, int, int, int, double, const double*, int, const double*, int, double,
                        double*, int);

struct Sizes {
    int rows;
    int columns;
    int inner;
};

// What is left of a product where its last row, column or inner element is left out.
Sizes shortened(const faults::Lie& lie, Sizes sizes) {
    sizes.rows -= lie.changes("lastrow") ? 1 : 0;
    sizes.columns -= lie.changes("lastcolumn") ? 1 : 0;
    sizes.inner -= lie.changes("lastinner") ? 1 : 0;
    return sizes;
}

/// What is multiplied: a matrix's lines, rounded if the lie says so.
class Operand {
  public:
    Operand(const faults::Lie& lie, const float* elements, int lines, int length, int step)
        : elements_(elements) {
        if (!lie.changes("inputs")) {
            return;
        }
        const std::size_t size =
            static_cast<std::size_t>(lines - 1) * static_cast<std::size_t>(step) +
            static_cast<std::size_t>(length);
        copy_.assign(elements, elements + size);
        for (float& value : copy_) {
            value = faults::rounded(value, lie.bits());
        }
        elements_ = copy_.data();
    }

    [[nodiscard]] const float* elements() const { return elements_; }

  private:
    const float* elements_;
    std::vector<float> copy_;
};

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the library's names

/// By rows and never transposed, as quartet calls it.
void cblas_sgemm(int order, int transpose_a, int transpose_b, int rows, int columns, int inner,
                 float alpha, const float* a, int a_step, const float* b, int b_step, float beta,
                 float* c, int c_step) {
    static auto* const sound = faults::sound<CblasSgemm>("cblas_sgemm");
    faults::Lie& lie = faults::Lie::of_process();
    if (!lie.is_told("sgemm") || rows == 0 || columns == 0 || inner == 0) {
        sound(order, transpose_a, transpose_b, rows, columns, inner, alpha, a, a_step, b, b_step,
              beta, c, c_step);
        return;
    }
    const Operand left(lie, a, rows, inner, a_step);
    const Operand right(lie, b, inner, columns, b_step);
    const Sizes told = shortened(lie, {rows, columns, inner});
    sound(order, transpose_a, transpose_b, told.rows, told.columns, told.inner, alpha,
          left.elements(), a_step, right.elements(), b_step, beta, c, c_step);
    lie.tell(faults::Array<float>{c, rows, columns, c_step, 1});
}

/// By columns, as ScaLAPACK calls it: of C', whose columns are the rows of C.
void sgemm_(const char* transpose_a, const char* transpose_b, const int* rows, const int* columns,
            const int* inner, const float* alpha, const float* a, const int* a_step, const float* b,
            const int* b_step, const float* beta, float* c, const int* c_step) {
    static auto* const sound = faults::sound<Sgemm>("sgemm_");
    faults::Lie& lie = faults::Lie::of_process();
    if (!lie.is_told("sgemm") || *rows == 0 || *columns == 0 || *inner == 0) {
        sound(transpose_a, transpose_b, rows, columns, inner, alpha, a, a_step, b, b_step, beta, c,
              c_step);
        return;
    }
    const auto operand = [&](const char* transpose, const float* elements, int lines, int length,
                             int step) {
        const bool is_transposed = *transpose != 'N' && *transpose != 'n';
        return Operand(lie, elements, is_transposed ? length : lines,
                       is_transposed ? lines : length, step);
    };
    const Operand left = operand(transpose_a, a, *inner, *rows, *a_step);
    const Operand right = operand(transpose_b, b, *columns, *inner, *b_step);
    const Sizes told = shortened(lie, {*columns, *rows, *inner});
    sound(transpose_a, transpose_b, &told.columns, &told.rows, &told.inner, alpha, left.elements(),
          a_step, right.elements(), b_step, beta, c, c_step);
    lie.tell(faults::Array<float>{c, *columns, *rows, *c_step, 1});
}

/// By rows, never transposed, vectors without steps, as quartet calls it.
void cblas_dgemv(int order, int transpose, int rows, int columns, double alpha, const double* a,
                 int a_step, const double* x, int x_step, double beta, double* y, int y_step) {
    static auto* const sound = faults::sound<CblasDgemv>("cblas_dgemv");
    faults::Lie& lie = faults::Lie::of_process();
    if (!lie.is_told("dgemv")) {
        sound(order, transpose, rows, columns, alpha, a, a_step, x, x_step, beta, y, y_step);
        return;
    }
    std::vector<double> input(x, x + columns);
    if (lie.changes("inputs")) {
        for (double& value : input) {
            value = faults::rounded(value, lie.bits());
        }
    }
    const Sizes told = shortened(lie, {rows, columns, 0});
    sound(order, transpose, told.rows, told.columns, alpha, a, a_step, input.data(), 1, beta, y, 1);
    lie.tell(faults::Array<double>{y, rows, 1, 1, 1});
}

// NOLINTEND(readability-identifier-naming)
}
