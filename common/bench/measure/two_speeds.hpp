#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace quartet::bench {

/// Runs that fall into a fast and a slow group with nothing between them.
struct TwoSpeeds {
    double ratio = 1;      ///< of the groups' medians, above 1
    std::size_t slow = 0;  ///< runs in the slow group
    /// The first run of the second group, if all runs before it belong to the first; nothing if the
    /// speeds take turns.
    std::optional<std::size_t> step;
    bool becomes_slower = false;  ///< at the step
};

/// two_speeds() finds nothing in fewer runs.
inline constexpr std::size_t fewest_runs_for_two_speeds = 5;

/// Whether the runs have two speeds, so that their median is one of them by chance. `times` are in
/// the order measured. They have where, of all ways to split the sorted times so that each group
/// has a fifth of them and two at least, one has
/// - medians of the groups that differ by a factor of 1.4 or more;
/// - and a gap between the groups that is half as wide again as the wider of them; a group of four
///   or more may leave out its outermost run.
/// False positives, from 5 to 20 runs: none of normal noise of 5%, 0.3% of normal, log-normal and
/// exponential noise of 10%, 2% of heavy tails (Student's t of three degrees) of 10%. Found: 95% of
/// steps to twice the time, 70% of 6 and 98% of 10 runs of which each takes twice the time or not
/// by chance (noise of 5%).
std::optional<TwoSpeeds> two_speeds(std::span<const double> times);

/// "from run 4 of 10 on it took 5.1 times as long", "4 of 10 runs took 5.1 times as long as the
/// others". `of` names the runs: "run", "probe".
std::string describe_two_speeds(const TwoSpeeds& speeds, std::size_t runs, std::string_view of);

}  // namespace quartet::bench
