#include "bench/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "bench/measure/flag_rows.hpp"
#include "bench/results/samples.hpp"
#include "bench/session/session.hpp"
#include "device/model/emulation.hpp"

namespace quartet::bench {

namespace {

// "26%", "26% to 80%" or "1.3x to 2x"; empty of none.
std::string range_of(std::vector<double> values, const char* format) {
    if (values.empty()) {
        return {};
    }
    const auto text = [&](double value) { return fmt::format(fmt::runtime(format), value); };
    const auto [low, high] = std::ranges::minmax(values);
    return text(low) == text(high) ? text(low) : fmt::format("{} to {}", text(low), text(high));
}

bool can_be_quoted(const Row& row) {
    return row.error.empty() && !row.name.is_of_paper_clock() && row.mark().empty();
}

std::string say_verified(std::span<const Row> rows) {
    const auto count = [&](auto holds) { return std::ranges::count_if(rows, holds); };
    const auto of_whole = [](const Row& row) { return !row.name.is_of_paper_clock(); };
    const auto all = count(of_whole);
    const auto good = count([&](const Row& row) {
        return of_whole(row) && row.error.empty() && row.check && row.check->passed;
    });
    const auto wrong = count([](const Row& row) { return row.check && !row.check->passed; });
    const auto failed = count([](const Row& row) { return !row.error.empty(); });
    const auto marked = count(
        [&](const Row& row) { return of_whole(row) && row.error.empty() && !row.mark().empty(); });
    std::string text = good == all ? fmt::format("All {} row{} verified", all, all == 1 ? "" : "s")
                                   : fmt::format("{} of {} rows verified", good, all);
    text += wrong > 0 ? fmt::format("; {} WRONG", wrong) : "";
    text += failed > 0 ? fmt::format("; {} not run", failed) : "";
    text += marked > 0 ? fmt::format("; {} to distrust, left out below", marked) : "";
    return text + ".\n";
}

std::string say_fractions(std::span<const Row> rows) {
    std::string text;
    for (const Formulation formulation : all_formulations) {
        std::vector<double> fractions;
        for (const Row& row : rows) {
            if (row.name.variant.formulation == formulation && can_be_quoted(row) && row.limit) {
                fractions.push_back(100 * *row.fraction_of_limit());
            }
        }
        if (const std::string range = range_of(std::move(fractions), "{:.0f}%"); !range.empty()) {
            text += fmt::format("{} {} {}", text.empty() ? "" : ",", name(formulation), range);
        }
    }
    return text.empty() ? "" : fmt::format("Of the limit:{}.\n", text);
}

std::string say_leads(std::span<const Row> rows) {
    std::vector<double> leads;
    for (const Row& native : rows) {
        for (const Row& library : rows) {
            if (can_be_quoted(native) && can_be_quoted(library) && is_library_of(native, library)) {
                leads.push_back(median(library.times()) / median(native.times()));
            }
        }
    }
    const std::string range = range_of(std::move(leads), "{:.2g}x");
    return range.empty() ? "" : fmt::format("Native over library: {}.\n", range);
}

}  // namespace

bool has_runs(const std::vector<Row>& rows) {
    return std::ranges::any_of(rows, [](const Row& row) { return row.error.empty(); });
}

ExitCode verdict(const Measured& measured) {
    const std::vector<Row>& rows = measured.rows;
    const auto has = [&](ExitCode code) {
        return std::ranges::any_of(
            rows, [code](const Row& row) { return !row.error.empty() && row.error_code == code; });
    };
    if (has(ExitCode::failed)) {
        return ExitCode::failed;
    }
    if (std::ranges::any_of(rows, [](const Row& row) { return row.check && !row.check->passed; })) {
        return ExitCode::wrong_result;
    }
    if (has(ExitCode::stopped)) {
        return ExitCode::stopped;
    }
    if (measured.method.stopped) {
        return has_runs(rows) ? ExitCode::stopped : ExitCode::failed;
    }
    return has(ExitCode::unavailable) ? ExitCode::unavailable : ExitCode::verified;
}

std::string summary_of(std::span<const Row> rows) {
    if (rows.empty()) {
        return {};
    }
    std::string text = say_verified(rows) + say_fractions(rows) + say_leads(rows);
    if (std::ranges::any_of(rows, &Row::distrusted)) {
        text +=
            "Next: measure again where nothing else runs (make check-machine says what does).\n";
    }
    return text;
}

std::vector<std::string> warnings(const Session& session, std::span<const Row> rows) {
    constexpr std::size_t runs_for_comparison =
        9;  // of the U test in Google Benchmark's compare.py
    auto warnings = device::ranks_are_simulated() ? std::vector<std::string>{}
                                                  : session.topology().warnings(session.threads());
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
        if (!converged(row.times(), asked.interval)) {
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
                fmt::format("{}: {}: wrong result ({}error {:.3g}, tolerance {:.3g})\n", program,
                            row.name.text(),
                            row.check->input_changed ? "its input has changed in memory, " : "",
                            row.check->error, row.check->tolerance);
        }
    }
    return lines;
}

}  // namespace quartet::bench
