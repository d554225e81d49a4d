#include "bench/verdict.hpp"

#include <algorithm>

namespace quartet::bench {

ExitCode verdict(std::span<const Row> rows) {
    if (std::ranges::any_of(rows, [](const Row& row) { return row.check && !row.check->passed; })) {
        return ExitCode::wrong_result;
    }
    if (std::ranges::any_of(rows, [](const Row& row) { return !row.error.empty(); })) {
        return ExitCode::unavailable;
    }
    return ExitCode::verified;
}

}  // namespace quartet::bench
