"""The verdict on a run, in a few lines: how many rows are verified, where native is slower than the library, how near
each kernel comes to its limit, how many times as fast as the library native is, and what to do next. If there are pairs
of ranks, the last line names hosts that are slow in all of their pairs.

A row in doubt (?) is in no range and no ratio. A row above its limit (!) is in ratios only, since its rate is sound."""

import re
import textwrap
from typing import Optional

from quartet.results import OWN_FORMULATIONS, Row, grouped, judge, statistics
from quartet.results.row import DISTURBANCE_FLAGS
from quartet.tables.pairs import pair_name, slowest
from quartet.tables.table import oversubscription
from quartet.terminal import BOLD, GREEN, RED, YELLOW, Style
from quartet.text import WIDTH, aligned, counted, percent_range, ratio, widths_of

HEADINGS = ("of the limit", *OWN_FORMULATIONS, "native over library")
LEAST_LOSS = 0.05  # of the rate, from which native is called slower; quartet compare has the same threshold
MOST_SLOWER = 3  # lines of rows that are slower than the library
JOINED = "\N{NO-BREAK SPACE}"  # in texts that must stay on one line


def render(rows: list[Row], style: Style = Style()) -> str:
    """The verdict on the (judged) rows of a run."""
    measured = [row for row in rows if not row.error]
    if not measured:
        return style.paint("Nothing was measured.", RED) + "\n"
    slower = [style.paint(line, RED) for line in _slower(measured)]
    last = textwrap.wrap(slowest(measured), WIDTH, subsequent_indent="  ")
    return "\n".join([_verified(rows, style), *slower, *_kernels(measured), _next(rows), *last]) + "\n"


def _verified(rows: list[Row], style: Style) -> str:
    good, marks = sum(row.verified is True for row in rows), [row.mark for row in rows if row.verified]
    doubtful = {"in doubt (?), left out below": marks.count("?"), "above its limit (!)": marks.count("!")}
    bad = {"WRONG": sum(row.verified is False for row in rows),
           "failed": sum(bool(row.error) and not row.is_not_run for row in rows)}
    not_run = {"not run": sum(row.is_not_run for row in rows)}
    of_all = "All " * (good > 1) if good == len(rows) else f"{good} of "
    among, others = ([f"{count} {what}" for what, count in counts.items() if count]
                     for counts in (doubtful, {**bad, **not_run}))
    texts = [f"{of_all}{counted(len(rows), 'row')} verified" + f" ({'; '.join(among)})" * bool(among), *others]
    doubtful.update(not_run)
    colour = RED if any(bad.values()) else YELLOW if any(doubtful.values()) else GREEN
    return style.paint(style.paint("; ".join(texts) + ".", colour), BOLD)


def _slower(measured: list[Row]) -> list[str]:
    """The native rows slower than the library in the same launch: by LEAST_LOSS and the interval, or by their flag."""
    texts = []
    several = len({row.name.ranks for row in measured}) > 1
    for row in measured:
        ranks = f"on {counted(row.name.ranks, 'rank')}" if several else ""
        parts = row.name.kernel, row.name.transport, *row.name.words, row.name.plain_size, pair_name(row) or ranks
        name = " ".join(filter(None, parts))
        if list(row.flags) == [judge.BELOW_LIBRARY]:
            texts.append(f"{name}: {row.flags[judge.BELOW_LIBRARY]}")
        texts += [f"{name}: {judge.slower_than(library, library.rate, row)}" for _, library in _pairs([row], measured)
                  if (_interval(row, library) or (1, 1))[1] < 1 and row.rate < (1 - LEAST_LOSS) * library.rate]
    return textwrap.wrap(f"SLOWER: {'; '.join(texts)}.", WIDTH, max_lines=MOST_SLOWER,
                         subsequent_indent="  ", placeholder=" ...") if texts else []


def _kernels(measured: list[Row]) -> list[str]:
    """A line for each kernel below the headings; the ratios may need a second line."""
    kernels = grouped(measured, lambda row: row.name.kernel)
    lines = [HEADINGS[:-1], *((kernel, *(_range(own, each) for each in OWN_FORMULATIONS))
                              for kernel, own in kernels.items())]
    widths = widths_of(lines)
    indent = " " * (sum(widths) + len(widths) + 1)
    texts = [HEADINGS[-1], *map(_ratios, kernels.values())]
    return [line.replace(JOINED, " ") for cells, text in zip(lines, texts) for line in textwrap.wrap(
        aligned(cells, widths, (0,)).ljust(len(indent)) + text, WIDTH, subsequent_indent=indent)]


def _range(rows: list[Row], formulation: str) -> str:
    """The range of the fractions of the rows without a mark; the mark if there are none."""
    own = [row for row in rows if row.name.formulation == formulation]
    found = [row.fraction_of_limit or 0 for row in own if _is_quoted(row)]
    return percent_range(min(found), max(found)) if found else max((row.mark for row in own), default="") or "-"


def _is_quoted(row: Row) -> bool:
    return bool(row.fraction_of_limit) and not row.mark and row.verified is not False


def _ratios(rows: list[Row]) -> str:
    """Ratios of native to the library, by native's transport and by the words that not all rows have."""
    found = _pairs(rows, rows)
    shared = set.intersection(*(set(row.name.words) for row in rows))
    ways = grouped(sorted(found, key=lambda pair: pair[0].rate / pair[1].rate), lambda pair: (
        *(word for word in pair[0].name.variant if word not in shared), pair[0].name.transport))
    several = len({words[-1] for words in ways}) > 1
    texts = [" ".join([*words[:-1], *words[-1:] * several, _ratio(pairs)]) for words, pairs in ways.items()]
    few = [few_runs(len(row.rates)) for row in [*filter(_is_quoted, rows), *(row for pair in found for row in pair)]]
    lacks = dict.fromkeys(filter(None, ("some of " * (not all(few)) + max(few) if any(few) else "",
                                        *(library_drawback(library) for _, library in found))))
    return (", ".join(text.replace(" ", JOINED) for text in texts) or "-") + "".join(f" ({text})" for text in lacks)


def _ratio(ordered: list[tuple[Row, Row]]) -> str:
    low, high = (ratio(native.rate / library.rate) for native, library in (ordered[0], ordered[-1]))
    if len(ordered) > 1:
        return f"{low[:-1]}-{high}"
    interval = _interval(*ordered[0])
    return low + (f" [{', '.join(ratio(bound)[:-1] for bound in interval)}]" if interval else "")


def few_runs(runs: int) -> str:
    """ "fewer than 6 runs" if they are; else empty."""
    return f"fewer than {statistics.LEAST_VALUES} runs" * (runs < statistics.LEAST_VALUES)


def library_drawback(library: Row) -> str:
    """What makes the library slow here, so that a ratio means less: "FFTW without AVX2, planned by estimate"."""
    lacks = re.search(r"(\w+) of this package has no (\w+) code", library.note)
    is_estimate = library.name.device == "host" and library.name.values.get("plan") == "estimate"
    texts = [f"{lacks[1]} without {lacks[2]}"] if lacks else []
    return ", ".join(texts + ["planned by estimate"] * is_estimate)


def _pairs(rows: list[Row], others: list[Row]) -> list[tuple[Row, Row]]:
    """Each trusted native row of `rows`, with the library's row of the same work in `others`."""
    return [(native, library) for native in rows
            if native.name.formulation == "native" and native.mark != "?" and native.verified is not False
            for library in judge.library_rows(native, others)[:1]]


def _interval(native: Row, library: Row) -> Optional[tuple[float, float]]:
    """The interval of the ratio of their runs; None with fewer than six runs of either, or of different launches, which
    differ by more than their runs do."""
    enough = native.context is library.context and min(len(native.rates), len(library.rates)) >= statistics.LEAST_VALUES
    return statistics.ratio(list(library.rates), list(native.rates)).interval if enough else None


def _next(rows: list[Row]) -> str:
    """What to do next, by the most important cause."""
    doubtful = [row for row in rows if row.is_distrusted]
    kinds = {kind for row in doubtful for kind in row.flags} or {"" for row in doubtful}
    crowded = next(filter(None, map(oversubscription, doubtful)), "")
    return "Next: " + (
        "a result is WRONG: use no rate of this build before `make test` passes."
        if any(row.verified is False for row in rows) else
        "`quartet report` (charts), `quartet sweep`, docs/reading-the-numbers.md." if not kinds else
        f"{crowded}: start fewer ranks, or lower --threads." if crowded else
        "`quartet check-machine` says what disturbs a machine; then measure again."
        if kinds & {*DISTURBANCE_FLAGS, ""} else
        "the BLAS is slow here: see slow_library in docs/reading-the-numbers.md." if "slow_library" in kinds else
        "MPI did not use the fastest network: see docs/reading-the-numbers.md." if judge.SLOW_PATH in kinds else
        "measure these again; see docs/reading-the-numbers.md, Marks and flags.")
