#include "bench/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "bench/results/flags.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

ExitCode verdict(const Measured& measured) {
    const std::vector<Row>& rows = measured.rows;
    const auto has = [&](ExitCode code) {
        return std::ranges::any_of(
            rows, [code](const Row& row) { return !row.error.empty() && row.error_code == code; });
    };
    if (std::ranges::any_of(rows, [](const Row& row) { return row.check && !row.check->passed; })) {
        return ExitCode::wrong_result;
    }
    if (has(ExitCode::failed)) {
        return ExitCode::failed;
    }
    if (has(ExitCode::stopped) || measured.stopped) {
        return ExitCode::stopped;
    }
    return has(ExitCode::unavailable) ? ExitCode::unavailable : ExitCode::verified;
}

std::vector<std::string> warnings(const Session& session, std::span<const Row> rows) {
    constexpr std::size_t runs_for_comparison =
        9;  // of the U test in Google Benchmark's compare.py
    auto warnings = session.topology().warnings(session.threads());
    std::ranges::move(session.gpus().warnings(), std::back_inserter(warnings));
    const Runs& asked = session.options().runs;
    for (const Row& row : rows) {
        if (asked.count || !row.error.empty()) {
            continue;
        }
        if (row.runs.size() < runs_for_comparison) {
            warnings.push_back(fmt::format("{} converged after {} runs: a comparison needs {}",
                                           row.name.text(), row.runs.size(), runs_for_comparison));
        }
        if (!row.time.within(asked.interval)) {
            warnings.push_back(fmt::format("{} did not converge within --ci in {} runs",
                                           row.name.text(), row.runs.size()));
        }
    }
    std::ranges::move(describe_flags(rows), std::back_inserter(warnings));
    return warnings;
}

std::string failures_of(std::span<const Row> rows, std::string_view program) {
    std::string lines;
    std::set<std::string> said;  // one reason may hold for many rows
    for (const Row& row : rows) {
        if (!row.error.empty() && said.insert(row.error).second) {
            lines += fmt::format("{}: {}\n", program, row.error);
        }
        if (row.check && !row.check->passed) {
            lines +=
                fmt::format("{}: {}: wrong result ({}{}error {:.3g}, tolerance {:.3g})\n", program,
                            row.name.text(),
                            row.check->input_changed ? "its input has changed in memory, " : "",
                            row.check->why.empty() ? "" : row.check->why + ", ", row.check->error,
                            row.check->tolerance);
        }
    }
    return lines;
}

}  // namespace quartet::bench
