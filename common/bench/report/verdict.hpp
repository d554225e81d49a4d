#pragma once

#include <span>

#include "bench/report/row.hpp"
#include "core/check.hpp"

namespace quartet::bench {

/// The exit code that rows lead to: 1 where a result is wrong, else 77 where a named member was
/// unavailable, else 0. (A failure at run time has ended the job before, with 3.)
ExitCode verdict(std::span<const Row> rows);

}  // namespace quartet::bench
