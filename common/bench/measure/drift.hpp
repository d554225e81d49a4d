#pragma once

#include <optional>
#include <span>
#include <string>

namespace quartet::bench {

/// drift() finds nothing in fewer runs.
inline constexpr std::size_t fewest_runs_for_drift = 8;

/// Whether the runs became slower or faster while they were measured, so that their median stands
/// for neither end. Returns how much longer the last quarter took than the first, as a share of the
/// first (medians; -0.1: ten per cent less), or nothing if the runs did not drift. `times` are
/// in the order measured.
///
/// A quarter has at least three runs, so that no single run decides. Runs drift if the quarters
/// differ
/// - by more than 5% of the first;
/// - by more than three standard errors of a difference of two medians. The runs' spread is
///   estimated from neighbours, which slow changes do not affect (von Neumann, "Distribution of the
///   ratio of the mean square successive difference to the variance", 1941), and by the median,
///   which outliers do not affect;
/// - and in nine of ten pairs of a run from each (Vargha and Delaney's A, 2000).
/// False positives: 1.5% for normal noise; 4% when every fifth run is a third slower, 1% of those
/// with twenty runs.
std::optional<double> drift(std::span<const double> times);

/// "the last quarter of the runs took 12% longer than the first".
std::string describe_drift(double drift);

}  // namespace quartet::bench
