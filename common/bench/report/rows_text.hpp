#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// The rows of one program for people, a line each: the median run's rate with its 95% interval,
/// the rate at the limit, the fraction of it, and whether the result is right. What rows share
/// stands in a line above them, with `device`, the GPUs or instructions. 80 columns wide, but for
/// long names and errors.
std::string rows_text(std::span<const Row> rows, std::string_view device = {});

/// Four significant digits without an exponent: "38123", "1.234".
std::string format_rate(double rate);

}  // namespace quartet::bench
