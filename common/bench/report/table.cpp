#include "bench/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bench/results/samples.hpp"

namespace quartet::bench {

namespace {

constexpr std::size_t columns = 80;  ///< that every terminal has

using Line = std::array<std::string, 10>;
const Line titles{"form",         "via",   "size",     "",      "median",
                  "95% interval", "limit", "fraction", "check", "publ."};
const Line narrow_titles{"form", "via",   "size", "",   "median",
                         "95%",  "limit", "frac", "ok", "publ."};
constexpr std::string_view alignment = "<<><><>><>";

std::string line_text(const Line& line, const std::array<std::size_t, 10>& widths) {
    std::string text;
    for (std::size_t column = 0; column < widths.size(); ++column) {
        if (widths[column] > 0) {
            text += fmt::format(fmt::runtime(alignment[column] == '<' ? "{:<{}} " : "{:>{}} "),
                                line[column], widths[column]);
        }
    }
    return text.erase(text.find_last_not_of(' ') + 1) + "\n";
}

// Each column is as wide as its widest cell; empty columns are left out.
std::string aligned_below(const Line& heading, const std::vector<Line>& lines) {
    std::array<std::size_t, 10> widths{};
    for (std::size_t column = 0; column < widths.size(); ++column) {
        for (const Line& line : lines) {
            widths[column] = std::max(widths[column], line[column].size());
        }
        if (widths[column] > 0) {
            widths[column] = std::max(widths[column], heading[column].size());
        }
    }
    std::string text = line_text(heading, widths);
    for (const Line& line : lines) {
        text += line_text(line, widths);
    }
    return text;
}

std::string aligned(const std::vector<Line>& lines) {
    const std::string text = aligned_below(titles, lines);
    const bool fits = text.find('\n') <= columns;
    return fits ? text : aligned_below(narrow_titles, lines);
}

// A paragraph broken at spaces, with further lines indented; long names stay whole.
std::string wrapped(std::string_view paragraph) {
    constexpr std::string_view indent = "       ";
    std::string text;
    std::size_t used = 0;
    while (!paragraph.empty()) {
        const std::size_t end = std::min(paragraph.find(' '), paragraph.size());
        // A word longer than a line begins a new one, unless this line is hardly begun.
        const bool may_break = indent.size() + end <= columns || used > columns / 2;
        if (used > 0 && used + 1 + end > columns && may_break) {
            text += fmt::format("\n{}", indent);
            used = indent.size();
        } else if (used > 0) {
            text += ' ';
            ++used;
        }
        text += paragraph.substr(0, end);
        used += end;
        paragraph.remove_prefix(std::min(end + 1, paragraph.size()));
    }
    return text + "\n";
}

// Marked where it is not to be trusted; a warning says why.
std::string median_of(const Row& row, const Summary& summary) {
    return format_rate(row.work.rate({summary.median})) + (row.distrusted() ? "?" : "");
}

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
    return fmt::format("{:.0f}%{}", 100 * *fraction, row.is_above_limit() ? "!" : "");
}

std::string published_of(const Row& row) {
    if (!row.published) {
        return {};
    }
    const double ratio = row.published->ratio;
    return ratio < 100 ? fmt::format("{:.2g}x", ratio) : fmt::format("{:.0f}x", ratio);
}

// What distinguishes a row besides its size: the words that not all rows have, and its suffix.
std::string part_of(const Row& row, std::span<const Row> rows) {
    std::string part;
    for (const Word& word : row.name.words) {
        const bool shared = std::ranges::all_of(rows, [&](const Row& other) {
            return std::ranges::find(other.name.words, word) != other.name.words.end();
        });
        if (!shared) {
            part += part.empty() ? "" : " ";
            part += word.text;
        }
    }
    part += part.empty() || row.name.suffix.empty() ? "" : " ";
    return part + row.name.suffix;
}

/// `compared` is the row whose comparison with published numbers the line shows.
Line line_of(const Row& row, const Row& compared, std::span<const Row> rows) {
    const std::string way(name(row.name.variant.formulation));
    const std::string& transport = row.name.variant.transport;
    const std::string part = part_of(row, rows);
    if (!row.error.empty()) {
        return {way, transport, row.name.size, part, "-", "-", "-", "-", "-", ""};
    }
    const Summary summary = summarise(row.times());
    return {way,
            transport,
            row.name.size,
            part,
            median_of(row, summary),
            interval_of(row, summary),
            row.limit ? format_rate(row.work.rate(row.limit->seconds)) : "-",
            fraction_of(row),
            !row.check          ? "off"
            : row.check->passed ? "ok"
                                : "WRONG",
            published_of(compared)};
}

// The row of the paper's own clock adds only its comparison with published numbers: it shares a
// line with the whole, which stands before it.
bool shares_line(const Row& whole, const Row& row) {
    return row.name.is_of_paper_clock() &&
           row.name.text() == whole.name.with_suffix(paper_suffix).text();
}

std::string heading(const Row& row, std::string_view gpus) {
    return fmt::format("{} on {}{}, {} rank{} x {} thread{}: {} of the median run", row.name.kernel,
                       row.name.variant.device, gpus.empty() ? "" : fmt::format(" ({})", gpus),
                       row.name.ranks, row.name.ranks == 1 ? "" : "s", row.name.threads,
                       row.name.threads == 1 ? "" : "s", name(row.work.unit));
}

// Shares that stand beside limits, one line for all rows of which the same is said.
std::string beside_limits(std::span<const Row> rows) {
    std::map<std::pair<std::string, std::string>, Interval> said;  // by what has a share of what
    const auto say = [&](const std::string& what, const std::string& of_what, double share) {
        Interval& known = said.try_emplace({what, of_what}, Interval{share, share}).first->second;
        known = {std::min(known.lower, share), std::max(known.upper, share)};
    };
    for (const Row& row : rows) {
        if (!row.error.empty() || !row.limit || row.distrusted() || row.name.is_of_paper_clock()) {
            continue;
        }
        for (const LimitComponent& part : row.limit->components) {
            if (part.hardware > Seconds{}) {
                say(part.name, "the processor's FMA peak", part.hardware / part.seconds);
            }
        }
        if (const auto share = row.fraction_of_all_ranks()) {
            const LimitComponent& part = *row.limit->on_some_ranks();
            say(std::string(name(row.name.variant.formulation)),
                fmt::format("what all ranks would allow ({} on {} of {})", part.name, part.ranks,
                            row.name.ranks),
                *share);
        }
    }
    std::string text;
    for (const auto& [whose, share] : said) {
        const std::string least = fmt::format("{:.0f}", 100 * share.lower);
        const std::string most = fmt::format("{:.0f}", 100 * share.upper);
        text += wrapped(fmt::format("{}: {}{}% of {}.", whose.first, least,
                                    least == most ? "" : "-" + most, whose.second));
    }
    return text;
}

std::string remarks(std::span<const Row> rows) {
    std::string text = beside_limits(rows);
    std::string last_published;
    for (const Row& row : rows) {
        if (!row.error.empty()) {
            text += wrapped(fmt::format("error: {}: {}", row.name.text(), row.error));
        }
        if (row.published && row.published->conditions != last_published) {
            last_published = row.published->conditions;
            const Comparison& other = *row.published;
            text += wrapped(fmt::format(
                "publ.: {} {} {}: {}; {}{}", other.bound, format_rate(other.value), other.unit,
                other.conditions, other.source, other.ours.empty() ? "" : "; ours " + other.ours));
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

std::string table(std::span<const Row> rows, std::span<const std::string> warnings,
                  std::string_view gpus) {
    if (rows.empty()) {
        return {};
    }
    std::vector<Line> lines;
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const Row& row = rows[index];
        const bool shared = index + 1 < rows.size() && shares_line(row, rows[index + 1]);
        lines.push_back(line_of(row, shared ? rows[index + 1] : row, rows));
        index += shared ? 1 : 0;
    }
    std::string text = wrapped(heading(rows.front(), gpus)) + aligned(lines) + remarks(rows);
    for (const std::string& warning : warnings) {
        const bool is_marked = warning.starts_with("? ") || warning.starts_with("! ");
        text += wrapped(is_marked ? warning : fmt::format("warning: {}", warning));
    }
    return text;
}

}  // namespace quartet::bench
