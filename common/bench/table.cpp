#include "bench/table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/samples.hpp"

namespace quartet::bench {

namespace {

constexpr const char* layout = "{:<9} {:<6} {:>8} {:<8} {:>6} {:<17} {:>6} {:>5} {:<3} {:>5}\n";

std::string interval_of(const Row& row, const Summary& summary) {
    if (!summary.interval) {
        return "-";
    }
    // The longest time is the lowest rate.
    return fmt::format("[{}, {}]", format_rate(row.work.rate({summary.interval->upper})),
                       format_rate(row.work.rate({summary.interval->lower})));
}

std::string fraction_of(const Row& row) {
    const auto fraction = row.fraction_of_limit();
    if (!fraction) {
        return "-";
    }
    return fmt::format("{:.2f}{}", *fraction, *fraction > implausible_fraction ? "!" : "");
}

std::string published_of(const Row& row) {
    return row.published ? fmt::format("{:.2g}x", row.published->ratio) : "-";
}

/// `compared` is the row that stands for this one where published numbers are compared.
std::string line_of(const Row& row, const Row& compared) {
    const std::string& way = row.name.variant.formulation;
    const std::string& transport = row.name.variant.transport;
    const std::string& part = row.name.suffix;
    if (!row.error.empty()) {
        return fmt::format(layout, way, transport, row.name.size, part, "-", "-", "-", "-", "-",
                           "-");
    }
    const Summary summary = summarise(row.times());
    return fmt::format(layout, way, transport, row.name.size, part,
                       format_rate(row.work.rate({summary.median})), interval_of(row, summary),
                       row.limit ? format_rate(row.work.rate(row.limit->seconds)) : "-",
                       fraction_of(row),
                       !row.check          ? "-"
                       : row.check->passed ? "yes"
                                           : "NO",
                       published_of(compared));
}

// The row of the paper's own clock says nothing new but how it compares: it shares a line with the
// whole, which stands before it.
bool shares_line(const Row& whole, const Row& row) {
    return row.name.suffix == "paper" && row.name.text() == whole.name.with_suffix("paper").text();
}

std::string heading(const Row& row) {
    return fmt::format("{} on {}, {} ranks x {} thread{}: {} of the median run [95% interval]\n",
                       row.name.kernel, row.name.variant.device, row.name.ranks, row.name.threads,
                       row.name.threads == 1 ? "" : "s", name(row.work.unit));
}

std::string remarks(std::span<const Row> rows) {
    std::string text;
    std::string last_published;
    for (const Row& row : rows) {
        if (!row.error.empty()) {
            text += fmt::format("error: {}: {}\n", row.name.text(), row.error);
        }
        if (row.name.suffix != "paper" &&
            row.fraction_of_limit().value_or(0) > implausible_fraction) {
            text +=
                fmt::format("! {}: above its limit: a cache helped, or one of the two is wrong\n",
                            row.name.text());
        }
        if (row.published && row.published->conditions != last_published) {
            last_published = row.published->conditions;
            text += fmt::format("publ.: {} {} {}: {}\n       {}\n", row.published->bound,
                                format_rate(row.published->value), row.published->unit,
                                row.published->conditions, row.published->source);
        }
    }
    return text;
}

}  // namespace

std::string format_rate(double rate) {
    if (!(rate > 0)) {
        return "0";
    }
    const int digits = static_cast<int>(std::floor(std::log10(rate)));
    return fmt::format("{:.{}f}", rate, std::max(0, 3 - digits));
}

std::string table(std::span<const Row> rows, std::span<const std::string> warnings) {
    if (rows.empty()) {
        return {};
    }
    std::string text = heading(rows.front());
    text +=
        fmt::format(layout, "", "via", "size", "", "median", "", "limit", "frac", "ok", "publ.");
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const Row& row = rows[index];
        const bool shared = index + 1 < rows.size() && shares_line(row, rows[index + 1]);
        text += line_of(row, shared ? rows[index + 1] : row);
        index += shared ? 1 : 0;
    }
    text += remarks(rows);
    for (const std::string& warning : warnings) {
        text += fmt::format("warning: {}\n", warning);
    }
    return text;
}

}  // namespace quartet::bench
