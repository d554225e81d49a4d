#include "cg/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quartet::cg {

namespace {

using Vector = std::vector<long double>;

// Elements of all products that the reference makes: about half a second.
constexpr std::int64_t affordable_elements = 20'000'000;

template <typename T>
double norm(std::span<const T> x) {
    return static_cast<double>(std::sqrt(dot(x, x)));
}

std::span<const long double> view(const Vector& vector) {
    return vector;
}

// b - A x.
Vector true_residual(const LinearSystem& system, std::span<const double> b, const Vector& x) {
    Vector residual(x.size());
    system.multiply(x, residual);
    for (std::size_t i = 0; i < residual.size(); ++i) {
        residual[i] = b[i] - residual[i];
    }
    return residual;
}

double distance(const Vector& residual, std::span<const double> r) {
    Vector gap(residual.size());
    for (std::size_t i = 0; i < gap.size(); ++i) {
        gap[i] = residual[i] - r[i];
    }
    return norm(view(gap));
}

// value / whole, and 0 for 0 / 0.
double ratio(double value, double whole) {
    return value == 0 ? 0 : value / whole;
}

}  // namespace

Verifier::Verifier(const LinearSystem& system, int iterations)
    : system_(system),
      iterations_(iterations),
      right_side_norm_(norm(system.right_side())),
      solution_norm_(norm(system.solution())),
      solution_energy_(std::sqrt(dot(system.right_side(), system.solution()))),
      reference_energy_(reference_energy(
          std::min<std::int64_t>((iterations + 1) / 2, affordable_elements / system.size() + 1))) {}

double Verifier::allowed_rounding(std::int64_t size, int iterations) {
    return std::numeric_limits<double>::epsilon() * std::sqrt(iterations + 1.0) *
           (std::sqrt(static_cast<double>(size)) / 2 + 4);
}

Bytes Verifier::memory(std::int64_t size) {
    return bytes_of<long double>(6 * size) + bytes_of<double>(4 * size);
}

// sqrt(e'A e) with A e = b - A x, for e the known solution less x.
long double Verifier::energy_of_error(std::span<const long double> x,
                                      std::span<const long double> residual) const {
    const auto known = system_.solution();
    long double energy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        energy += (known[i] - x[i]) * residual[i];
    }
    return std::sqrt(std::abs(energy));  // below zero by rounding
}

long double Verifier::reference_energy(std::int64_t iterations) const {
    Vector x(static_cast<std::size_t>(system_.size()));
    Vector r(system_.right_side().begin(), system_.right_side().end());
    Vector p = r;
    Vector q(r.size());
    long double residual_dot = dot(view(r), view(r));
    for (std::int64_t k = 0; k < iterations && residual_dot > 0; ++k) {
        system_.multiply(p, q);
        const long double curvature = dot(view(p), view(q));
        if (!(curvature > 0)) {
            break;  // converged as far as long double can tell
        }
        const long double alpha = residual_dot / curvature;
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const long double before = residual_dot;
        residual_dot = dot(view(r), view(r));
        for (std::size_t i = 0; i < x.size(); ++i) {
            p[i] = r[i] + residual_dot / before * p[i];
        }
    }
    return energy_of_error(x, r);
}

// The distance from the known solution, in units of what is allowed.
double Verifier::compare_energy(std::span<const long double> x,
                                std::span<const long double> residual, double gap_allowed,
                                VerificationResult& findings) const {
    const auto known = system_.solution();
    Vector error(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        error[i] = x[i] - known[i];
    }
    const auto energy = static_cast<double>(energy_of_error(x, residual));
    const double allowed = static_cast<double>(reference_energy_) +
                           gap_allowed / std::sqrt(system_.spectrum().smallest);
    findings.solution_error = ratio(norm(view(error)), solution_norm_);
    findings.energy_error = ratio(energy, static_cast<double>(solution_energy_));
    findings.energy_tolerance = ratio(allowed, static_cast<double>(solution_energy_));
    return ratio(energy, allowed);
}

VerificationResult Verifier::examine(std::span<const double> found,
                                     std::span<const double> r) const {
    const Vector x(found.begin(), found.end());
    const Vector residual = true_residual(system_, system_.right_side(), x);
    const double rounding = allowed_rounding(system_.size(), iterations_);
    const double gap_norm = distance(residual, r);
    const double x_norm = std::min(solution_norm_, norm(view(x)));
    const double gap_allowed = rounding * (system_.spectrum().largest * x_norm + right_side_norm_);

    VerificationResult findings;
    findings.true_residual = ratio(norm(view(residual)), right_side_norm_);
    findings.residual_gap = ratio(gap_norm, right_side_norm_);
    findings.gap_tolerance = ratio(gap_allowed, right_side_norm_);
    findings.check.tolerance = 1;
    findings.check.error = ratio(gap_norm, gap_allowed);
    const double far = compare_energy(x, residual, gap_allowed, findings);
    if (!(far <= findings.check.error)) {  // also if it is no number
        findings.check.error = far;
    }
    findings.check.passed = findings.check.error <= findings.check.tolerance &&
                            gap_norm <= gap_allowed && far <= findings.check.tolerance;
    return findings;
}

double Verifier::error_of_step(std::span<const double> z, std::span<const double> x,
                               std::span<const double> r) const {
    const Vector found(x.begin(), x.end());
    const double gap = distance(true_residual(system_, z, found), r);
    const double whole = system_.spectrum().largest * norm(x) + norm(z);
    return ratio(gap, allowed_rounding(system_.size(), 1) * whole);
}

double Verifier::error_of_scalars(const Iteration& iteration) const {
    const auto& [r, p, next_r, next_p] = iteration;
    const Vector direction(p.begin(), p.end());
    Vector q(p.size());
    system_.multiply(direction, q);
    long double step_along_q = 0;  // (r - r') . q
    long double turn_along_p = 0;  // (p' - r') . p
    for (std::size_t i = 0; i < q.size(); ++i) {
        step_along_q += (static_cast<long double>(r[i]) - next_r[i]) * q[i];
        turn_along_p += (static_cast<long double>(next_p[i]) - next_r[i]) * p[i];
    }
    const auto squares = [](const auto& x) { return static_cast<double>(dot(x, x)); };
    const double rr = squares(r);
    const double next_rr = squares(next_r);
    const double pp = squares(p);
    const double qq = squares(view(q));
    const auto pq = static_cast<double>(dot(p, view(q)));
    constexpr double least = 1e-290;
    if (std::min({rr, pp, qq, pq}) < least) {
        return 0;
    }
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const double rounding = allowed_rounding(system_.size(), 0);
    const double product = rounding * system_.spectrum().largest * std::sqrt(pp);
    const double alpha = rr / pq;
    const double alpha_allowed =
        (alpha * product + eps * (std::sqrt(next_rr) + alpha * std::sqrt(qq))) / std::sqrt(qq) +
        alpha * (rounding + (product * std::sqrt(pp) + rounding * std::sqrt(pp * qq)) / pq);
    const double beta = next_rr / rr;
    const double beta_allowed =
        eps * (beta + std::sqrt(squares(next_p) / pp)) + 2 * rounding * beta;
    const auto alpha_used = static_cast<double>(step_along_q / qq);
    const auto beta_used = static_cast<double>(turn_along_p / pp);
    const double of_alpha = ratio(std::abs(alpha_used - alpha), alpha_allowed);
    const double of_beta = next_rr < least ? 0 : ratio(std::abs(beta_used - beta), beta_allowed);
    return of_beta <= of_alpha || std::isnan(of_alpha) ? of_alpha : of_beta;  // or no number
}

}  // namespace quartet::cg
