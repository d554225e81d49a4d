#pragma once

#include <span>

#include "bench/results/row.hpp"
#include "cg/systems.hpp"

namespace quartet::cg {

/// The findings of a verification. All figures but the check's are relative: residuals to |b|, the
/// error to |x|, the error's energy norm |e|_A = sqrt(e'A e) to the energy norm of x.
struct VerificationResult {
    bench::Check check;
    double true_residual = 0;     ///< |b - A x|
    double residual_gap = 0;      ///< |b - A x - r| for the recurrence's r
    double gap_tolerance = 0;     ///< how large rounding may make the gap
    double solution_error = 0;    ///< |x - x_known|
    double energy_error = 0;      ///< of x - x_known
    double energy_tolerance = 0;  ///< how large energy_error may be after the iterations
};

/// Judges the result of k iterations of conjugate gradients, in long double and by the system's own
/// product, not the measured one. Two things must hold.
///
/// 1. The recurrence's r is the residual of x. In exact arithmetic it is; rounding makes a gap
///    (Greenbaum, "Estimating the attainable accuracy of recursively computed residual methods",
///    1997): each iteration adds errors of sums of N products, at most 0.12 eps sqrt(N) |A| |x| in
///    the standard deviation (all of one sign, added one after the other), and of vector
///    operations. Errors of iterations are independent, and their squares add up. So the gap must
///    be at most eps sqrt(k + 1) (sqrt(N) / 2 + 4) (|A| |x| + |b|), where |x| counts at most as
///    much as that of the solution, to which the iterates' norm rises (Steihaug, 1983): an x that
///    is far too large must not widen its own bound. (tests/cg/verify_test.cpp says how near
///    thousands of sound runs come to it.) A wrong product, a wrong vector operation and a changed
///    element of x all show here, converged or not.
/// 2. x has come as close to the known solution as k iterations bring it: the error's energy norm
///    only falls (Hestenes and Stiefel, 1952), and must be at most that of (k + 1) / 2 iterations
///    made in long double; rounding delays double precision by far less. A small residual does not
///    show this: laplace's residual is small at once, and rises first. The reference has fewer
///    iterations if more would take long, and only one if products are expensive. Errors below
///    what the gap allows, |gap| / sqrt(smallest eigenvalue), are accepted.
///
/// The check's error is the larger of both in units of its tolerance, which is 1.
///
/// The gap is measured against |A| |x|, which is (N / pi)^2 times |b| on laplace: b is nearly an
/// eigenvector of a small eigenvalue. A product that is wrong by 1e-9 of one element passes there,
/// and by more where r meets zeros. So a case whose right side is not even
/// (LinearSystem::has_even_right_side) also makes one iteration from a random z, by the same matrix
/// and code: x = alpha z and r = z - alpha A z. They must meet 1 with k = 1. Now |A| |x| is of
/// the size of |z|: for laplace alpha is about 1/2 and |A| |x| is 2 |z|, so that the gap may be
/// 3 sqrt(2) eps (sqrt(N) / 2 + 4) |z|. A typical element of alpha A z is 1.2 |z| / sqrt(N). It is
/// found if it is wrong by 1.7 eps (N + 8 sqrt(N)) of itself: 3e-13 at N = 512, 3e-12 at 8192.
///
/// 1 holds whatever alpha and beta are, and 2 where they are wrong by less than a few percent. So
/// r and p are kept from before and after some iterations, which the seed chooses (Samples). They
/// show the alpha and beta that were used: with q = A p by the system's own product these are
/// ((r - r') . q) / (q . q) and ((p' - r') . p) / (p . p), and must be r.r / p.q and r'.r' / r.r,
/// summed here in long double, one element after the other. With e = eps (sqrt(N) / 2 + 4), as
/// above, the measured product may differ from q by e |A| |p|, and a sum of the iteration by e of
/// its factors' norms; r' and p' are rounded once and twice. So alpha may be off by
///     (alpha e |A| |p| + eps (|r'| + alpha |q|)) / |q|            as r and r' show it, and by
///     alpha (e + (e |A| |p|^2 + e |p| |q|) / p.q)                 as the iteration divided it,
/// and beta by eps (beta + |p'| / |p|) + 2 e beta. For random that is 1e-10 of alpha at most: |A|
/// |p|^2 is at most its condition, 4096, times p.q.
class Verifier {
  public:
    /// Makes the reference iterations. Borrows the system. Local.
    Verifier(const LinearSystem& system, int iterations);

    /// x and r of all ranks, N elements each. The same answer on all ranks. Local.
    [[nodiscard]] VerificationResult examine(std::span<const double> x,
                                             std::span<const double> r) const;

    /// The gap after one iteration from the right side z, which left x and r, in units of the gap
    /// that rounding may make. N elements each. The same answer on all ranks. Local.
    [[nodiscard]] double error_of_step(std::span<const double> z, std::span<const double> x,
                                       std::span<const double> r) const;

    /// r and p before an iteration and after it, N elements each.
    struct Iteration {
        std::span<const double> residual, direction, next_residual, next_direction;
    };
    /// How far alpha and beta are from what they should be: the larger error in units of its bound;
    /// 0 where r is so small that squares have lost digits. The same answer on all ranks. Local.
    [[nodiscard]] double error_of_scalars(const Iteration& iteration) const;

    /// The gap that rounding may make, in units of |A| |x| + |b|.
    [[nodiscard]] static double allowed_rounding(std::int64_t size, int iterations);

    /// Memory that verification of a system of `size` unknowns allocates, beside the system.
    static Bytes memory(std::int64_t size);

  private:
    [[nodiscard]] long double energy_of_error(std::span<const long double> x,
                                              std::span<const long double> residual) const;
    [[nodiscard]] long double reference_energy(std::int64_t iterations) const;
    double compare_energy(std::span<const long double> x, std::span<const long double> residual,
                          double gap_allowed, VerificationResult& findings) const;

    const LinearSystem& system_;
    int iterations_;
    double right_side_norm_;
    double solution_norm_;
    long double solution_energy_;   ///< |x|_A of the known solution
    long double reference_energy_;  ///< |e|_A after the reference iterations
};

}  // namespace quartet::cg
