"""The table of a check of nodes: who stands out, what failed, and how alike the others are."""

from quartet.nodes.findings import Earlier, Findings, Measure
from quartet.nodes.plan import PAIR
from quartet.results.outliers import LEAST_VALUES
from quartet.text import ABOVE_LIMIT, DISTRUSTED, aligned, counted, rate, widths_of, wrapped

HEADINGS = ("node", "what", "rate", "median", "below", "score", "since")
SHOWN = 20  # of failures, and of names
TEXT = (0, 1, 6)  # columns


def render(found: Findings, earlier: Earlier, false_alarms: float, least: float) -> str:
    units = {measure.what: measure.unit for measure in found.measures}
    rows = [HEADINGS, *((one.who, f"{one.what} {units[one.what]}", rate(one.rate) + one.mark, rate(one.median),
                         f"{one.share:.0%}", "reference" if one.score is None else f"{one.score:.1f}",
                         earlier.since(one.who, one.what))
                        for one in found.slow)]
    lines: list[str] = []
    if found.slow:
        lines += [aligned(row, widths_of(rows), TEXT) for row in rows] + [""]
    failures = [f"{who}, {what}: failed since {earlier.since(who, what)}: {why}"
                for (who, what), why in found.failures.items()]
    lines += [line for text in failures[:SHOWN] for line in wrapped("x", text)]
    if len(failures) > SHOWN:
        lines += wrapped("x", f"{len(failures) - SHOWN} more failed")
    lines += [line for measure in found.measures for line in wrapped("", _spread(measure))]
    marks = {mark for measure in found.measures for _, mark in measure.rates.values()}
    lines += [line for mark, text in (("!", ABOVE_LIMIT), ("?", DISTRUSTED)) if mark in marks
              for line in wrapped(mark, text)]
    lines += wrapped("", _verdict(found, false_alarms, least))
    if found.left:
        lines += wrapped("", f"{counted(found.left, 'launch')} not run yet: the same command goes on")
    return "\n".join(lines) + "\n"


def _spread(measure: Measure) -> str:
    what = counted(len(measure.rates), "pair" if measure.what == PAIR else "node")
    for sign in "?!":
        marked = sum(mark == sign for _, mark in measure.rates.values())
        what += f", {marked} of them {sign}" if marked else ""
    for known in list(measure.known.values())[:1]:
        what += f", reference {rate(known.rate)} {measure.unit} (slow below {rate(known.bound)})"
    if not measure.sample:
        return f"{measure.what}: {what}, too few to tell who stands out ({LEAST_VALUES} at least)"
    return (f"{measure.what}: {what}, median {rate(measure.sample.median)} {measure.unit}, robust deviation "
            f"{measure.sample.deviation:.1%}, threshold {measure.sample.threshold:.1f} deviations (the score)")


def _verdict(found: Findings, false_alarms: float, least: float) -> str:
    if not found.is_decided:
        return "Undecided."
    names = list(dict.fromkeys(one.who for one in found.slow))
    more = [f"and {len(names) - SHOWN} more"] * (len(names) > SHOWN)
    who = f"Slow: {', '.join([*names[:SHOWN], *more])}." if names else "None is slow."
    besides = ", apart from those beside the reference" * any(measure.known for measure in found.measures)
    return (f"{who} Alike and undisturbed nodes would give a false alarm in {false_alarms:.0%} of such "
            f"checks{besides}; less than {least:.0%} below the median is not named.")
