#include "cg/loops.hpp"
#include "device/host/loops/per_isa/simd.hpp"

namespace quartet::cg::QUARTET_ISA {

using namespace device::QUARTET_ISA;

double update(double alpha, const double* p, const double* q, double* x, double* r,
              std::int64_t size) {
    return sum_of_terms(
        size,
        [=](std::int64_t i) __attribute__((always_inline)) {
            store(x + i, load(x + i) + alpha * load(p + i));
            const Vector residual = load(r + i) - alpha * load(q + i);
            store(r + i, residual);
            return residual * residual;
        },
        [=](std::int64_t i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            return r[i] * r[i];
        });
}

}  // namespace quartet::cg::QUARTET_ISA
