#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/report/row.hpp"

namespace quartet::bench {

/// The rows of one program for people, at most 80 columns wide: rate of the median run with its
/// 95% interval, the limit and the fraction of it, whether the result is right; below, what was
/// published, what failed, and the warnings, where only a long row name may be wider. `gpus` are
/// named in the heading.
std::string table(std::span<const Row> rows, std::span<const std::string> warnings,
                  std::string_view gpus = {});

/// Four significant digits without an exponent: "38123", "1.234".
std::string format_rate(double rate);

/// Above this, a fraction of the limit is flagged: one of the two is wrong, or a cache is at work.
inline constexpr double implausible_fraction = 1.05;

}  // namespace quartet::bench
