#include "bench/report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "bench/results/flags.hpp"
#include "core/columns.hpp"

namespace quartet::bench {

std::string counted(int count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

namespace {

// Way, size, rate with its mark, interval, limit, fraction, check.
constexpr auto columns = "{:<22} {:>8} {:>9}{:<1} {:>15} {:>8} {:>5} {}\n";

// All factors that change the work, except those in the row's own line.
std::string heading_of(const Row& row, std::string_view device) {
    const RowName& name = row.name;
    std::string text = fmt::format("{} on {}{}, {} x {}", name.kernel, name.variant.device,
                                   device.empty() ? "" : fmt::format(" ({})", device),
                                   counted(name.ranks, "rank"), counted(name.threads, "thread"));
    for (const Word& word : name.words) {
        text += fmt::format(", {}", word.text);
    }
    for (const auto& [key, value] : name.factors) {
        text += fmt::format(", {} {}", key, value);
    }
    return text + "\n";
}

std::string titles_of(const Row& row) {
    return fmt::format(columns, "formulation, transport", "size", name(row.work.unit), "",
                       "95% interval", "limit", "of it", "check");
}

std::string line_of(const Row& row) {
    const RowName& name = row.name;
    std::string way =
        fmt::format("{} {}", bench::name(name.variant.formulation), name.variant.transport);
    if (!row.error.empty()) {
        return fmt::format("{:<22} {:>8} error: {}\n", way, name.size, row.error);
    }
    way += name.suffix.empty() ? "" : " " + name.suffix;
    const int messages = row.work.messages;
    const std::string_view unit = messages > 0 ? "us" : "";
    const auto rate = [&](double seconds) {
        return format_rate(messages > 0 ? 1e6 * seconds / messages : row.work.rate({seconds}));
    };
    // The longest time is the lowest rate.
    const auto range = [&](double low, double high) {
        return messages > 0 ? fmt::format("{}..{}us", rate(low), rate(high))
                            : fmt::format("{}..{}", rate(high), rate(low));
    };
    const auto whole = row.fraction_of_all_ranks();  // as `quartet table` shows it
    const auto fraction = whole ? whole : row.fraction_of_limit();
    return fmt::format(
        columns, way, name.size, fmt::format("{}{}", rate(row.time.median), unit), row.mark(),
        row.time.interval ? range(row.time.interval->lower, row.time.interval->upper) : "-",
        fraction ? fmt::format("{}{}", rate(*fraction * row.time.median), unit) : "-",
        fraction && !row.distrusted() ? fmt::format("{:.0f}%", 100 * *fraction) : "-",
        !row.check          ? "off"
        : row.check->passed ? "ok"
                            : "WRONG");
}

}  // namespace

std::string format_rate(double rate) {
    if (!(rate > 0)) {
        return "0";
    }
    const int digits = static_cast<int>(std::floor(std::log10(rate)));
    return fmt::format("{:.{}f}", rate, std::max(0, 3 - digits));
}

std::string rows_text(std::span<const Row> rows, std::string_view device) {
    std::string text;
    std::string last_heading;
    std::string last_line;
    for (const Row& row : rows) {
        if (std::string heading = heading_of(row, device); heading != last_heading) {
            text += within_columns(heading, 2) + (last_heading.empty() ? titles_of(row) : "");
            last_heading = std::move(heading);
        }
        const std::string line = line_of(row);
        text += line == last_line && !row.error.empty() ? "" : line;  // pairs of ranks fail alike
        last_line = line;
    }
    if (std::ranges::any_of(
            rows, [](const Row& row) { return row.fraction_of_all_ranks().has_value(); })) {
        text += "limit of dataflow: its workers', scaled to all ranks, which may not reach it\n";
    }
    return text;
}

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
    constexpr std::size_t runs_for_comparison = 9;  // Google Benchmark's compare.py, U test
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
                fmt::format("{}: {}: wrong result ({}error {:.3g}, tolerance {:.3g})\n", program,
                            row.name.text(), row.check->why.empty() ? "" : row.check->why + ", ",
                            row.check->error, row.check->tolerance);
        }
    }
    return lines;
}

}  // namespace quartet::bench
