#pragma once

#include <optional>
#include <span>
#include <string>

namespace quartet::bench {

/// Fewer runs are not judged.
inline constexpr std::size_t fewest_runs_for_drift = 8;

/// How much longer the last quarter of the runs took than the first, of the first (medians; -0.1:
/// ten per cent less), where that is a drift: where the runs got slower or faster while they were
/// measured, so that their median stands for neither end. A quarter is of three runs at least, so
/// that no single one decides. It is one where the quarters differ
/// - by more than 5% of the first;
/// - by more than three standard errors of a difference of two medians, the runs' spread being that
///   of neighbours, which slow changes do not reach (von Neumann, "Distribution of the ratio of the
///   mean square successive difference to the variance", 1941; here by the median, so that
///   outliers do not reach it either);
/// - and in nine of ten pairs of a run from each (Vargha and Delaney's A, 2000).
/// Of runs without a drift, normally distributed, this takes at most 1.5% for one; of those of
/// which every fifth is slower by a third, 4%, or 1% where there are twenty.
/// `times` are in the order measured.
std::optional<double> drift(std::span<const double> times);

/// "the last quarter of the runs took 12% longer than the first".
std::string describe_drift(double drift);

}  // namespace quartet::bench
