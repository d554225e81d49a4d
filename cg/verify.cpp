#include "cg/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quartet::cg {

namespace {

using Vector = std::vector<long double>;

template <typename T, typename U>
long double dot(std::span<const T> x, std::span<const U> y) {
    long double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += static_cast<long double>(x[i]) * y[i];
    }
    return sum;
}

template <typename T>
double norm(std::span<const T> x) {
    return static_cast<double>(std::sqrt(dot(x, x)));
}

std::span<const long double> view(const Vector& vector) {
    return vector;
}

// b - A x.
Vector true_residual(const LinearSystem& system, const Vector& x) {
    Vector residual(x.size());
    system.multiply(x, residual);
    const auto b = system.right_side();
    for (std::size_t i = 0; i < residual.size(); ++i) {
        residual[i] = b[i] - residual[i];
    }
    return residual;
}

// A relative figure, where what it is relative to may be zero, too.
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
          std::min((iterations + 1) / 2, std::max(1, system.affordable_products())))) {}

Bytes Verifier::memory(std::int64_t size) {
    return bytes_of<long double>(6 * size) + bytes_of<double>(2 * size);
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

long double Verifier::reference_energy(int iterations) const {
    Vector x(static_cast<std::size_t>(system_.size()));
    Vector r(system_.right_side().begin(), system_.right_side().end());
    Vector p = r;
    Vector q(r.size());
    long double residual_dot = dot(view(r), view(r));
    for (int iteration = 0; iteration < iterations && residual_dot > 0; ++iteration) {
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

VerificationResult Verifier::examine(std::span<const double> found,
                                     std::span<const double> r) const {
    const Vector x(found.begin(), found.end());
    const Vector residual = true_residual(system_, x);
    const auto known = system_.solution();
    Vector gap(x.size());
    Vector error(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        gap[i] = residual[i] - r[i];
        error[i] = x[i] - known[i];
    }
    const double n = static_cast<double>(system_.size());
    const Spectrum spectrum = system_.spectrum();
    const double rounding =
        std::numeric_limits<double>::epsilon() * (iterations_ + 1.0) * (std::sqrt(n) + 32);
    const double gap_norm = norm(view(gap));
    const double x_norm = std::min(solution_norm_, norm(view(x)));  // of a sound x
    const double gap_allowed = rounding * (spectrum.largest * x_norm + right_side_norm_);
    const auto energy = static_cast<double>(energy_of_error(x, residual));
    const double energy_allowed =
        static_cast<double>(reference_energy_) + gap_allowed / std::sqrt(spectrum.smallest);

    VerificationResult findings;
    findings.true_residual = ratio(norm(view(residual)), right_side_norm_);
    findings.residual_gap = ratio(gap_norm, right_side_norm_);
    findings.gap_tolerance = ratio(gap_allowed, right_side_norm_);
    findings.solution_error = ratio(norm(view(error)), solution_norm_);
    findings.energy_error = ratio(energy, static_cast<double>(solution_energy_));
    findings.energy_tolerance = ratio(energy_allowed, static_cast<double>(solution_energy_));
    findings.check.tolerance = 1;
    findings.check.error = ratio(gap_norm, gap_allowed);
    const double far = ratio(energy, energy_allowed);
    if (!(far <= findings.check.error)) {  // also where it is no number
        findings.check.error = far;
    }
    findings.check.passed = findings.check.error <= findings.check.tolerance &&
                            gap_norm <= gap_allowed && energy <= energy_allowed;
    return findings;
}

}  // namespace quartet::cg
