#include "bench/report/verdict.hpp"

#include <algorithm>

namespace quartet::bench {

ExitCode verdict(std::span<const Row> rows) {
    if (std::ranges::any_of(rows, [](const Row& row) { return row.check && !row.check->passed; })) {
        return ExitCode::wrong_result;
    }
    const auto has = [&](ExitCode code) {
        return std::ranges::any_of(
            rows, [code](const Row& row) { return !row.error.empty() && row.error_code == code; });
    };
    for (const ExitCode code : {ExitCode::stopped, ExitCode::unavailable}) {
        if (has(code)) {
            return code;
        }
    }
    return ExitCode::verified;
}

}  // namespace quartet::bench
