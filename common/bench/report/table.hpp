#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// The rows of one program as a table for people: the median run's rate with its 95% interval, the
/// limit, the fraction of it, and whether the result is right. Below stand published numbers,
/// errors and warnings. At most 80 columns wide, but for long row names. The heading names `gpus`.
std::string table(std::span<const Row> rows, std::span<const std::string> warnings,
                  std::string_view gpus = {});

/// Four significant digits without an exponent: "38123", "1.234".
std::string format_rate(double rate);

}  // namespace quartet::bench
