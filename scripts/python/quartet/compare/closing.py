"""What stands below a comparison's table: what was found, what was not and why, what would decide."""

import shlex
from pathlib import Path
from typing import Any, Optional

from quartet.compare.pairs import LEAST_LAUNCHES, Pair, Verdict
from quartet.compare.sides import Side
from quartet.results.statistics import ERROR, LEAST_VALUES
from quartet.sweep.plan import FACTORS
from quartet.text import WIDTH, counted, wrapped

MANY_CASES = 10  # from which on some differ by chance
# Options that say what is run; the others do not change it, or have defaults that do.
TELLING = ("size", "sizes", "iterations", "pushes", "device", "formulation", "transport", "problem",
           "storage", "algorithm", "order", "tile", "tiles", "threads", "runs")


def lines(sides: list[Side], rows: list[Pair], threshold: float, error: float) -> list[str]:
    """`threshold` in per cent; intervals miss in `error` of all cases at most."""
    return [*_counts(rows, threshold), *_unclear(rows, threshold), *_too_few(rows),
            *_all_disturbed(rows), *_looks_slower(rows), *_by_chance(rows, error),
            *(_offer(sides, rows) if error == ERROR else [])]  # else they were launched so


def _counts(rows: list[Pair], threshold: float) -> list[str]:
    counts = [f"{sum(row.verdict is verdict for row in rows)} "
              f"{'not comparable' if verdict is Verdict.NOT_COMPARABLE else verdict.value}"
              for verdict in Verdict if any(row.verdict is verdict for row in rows)]
    return wrapped("", f"{', '.join(counts) or 'no case'}, at a threshold of {threshold:g}%")


def _has_enough(row: Pair) -> bool:
    """Launches for an interval."""
    return bool(row.ratio and row.ratio.interval) and row.launches >= LEAST_LAUNCHES


def _unclear(rows: list[Pair], threshold: float) -> list[str]:
    """Unclear cases with enough launches for an interval."""
    seen = [row for row in rows if row.verdict is Verdict.UNCLEAR and _has_enough(row)]
    if not seen:
        return []
    widest = max(row.ratio.half_width or 0 for row in seen if row.ratio)
    more = max((row.more for row in seen if row.more), default=None)
    # Of a published bound no number of launches says more.
    is_hopeless = threshold > 0 and not any(row.more or row.number for row in seen)
    remedy = f"; {_launches(more)} would decide {threshold:g}%" if more else \
        f". Launches differ too much to decide {threshold:g}%: quiet the machine, or raise --threshold" \
        if is_hopeless else ""
    worst = " at worst" if len(seen) > 1 else ""
    return wrapped("", f"unclear: no difference found, +-{widest:.0%}{worst}{remedy}")


def _launches(more: int) -> str:
    several = "launch" if more == 1 else "launches"
    return f"about {more} more {several} of each side"


def _too_few(rows: list[Pair]) -> list[str]:
    few = [row for row in rows if row.verdict is Verdict.UNCLEAR and row.launches and not _has_enough(row)]
    if not few:
        return []
    more = max(row.more or 0 for row in few)
    have = counted(min(row.launches for row in few), "undisturbed launch")
    least = f"{LEAST_VALUES}" if few[0].number else f"{LEAST_LAUNCHES} of each side"
    return wrapped("", f"no verdict on {counted(len(few), 'case')}, a side has only {have}: one program "
                   f"differs from launch to launch, so it takes {least} at least"
                   + (f" ({_launches(more)})" if more else ""))


def _all_disturbed(rows: list[Pair]) -> list[str]:
    """Says what to do about cases of which a side has no undisturbed launch: they have no ratio."""
    none = [row for row in rows if row.verdict is Verdict.UNCLEAR and not row.launches]
    if not none:
        return []
    has_one = any(sample and sample.undisturbed for row in none for sample in (row.first, row.second))
    side = " of a side" if has_one else ""
    return wrapped("", f"no verdict on {counted(len(none), 'case')}: every launch{side} was disturbed: quiet the "
                   "machine (quartet check-machine), then repeat")


def _looks_slower(rows: list[Pair]) -> list[str]:
    doubtful = [row for row in rows if row.looks_slower and row.launches]
    worst, mark = min(((row.ratio.value, row.mark) for row in doubtful if row.ratio), default=(1.0, ""))
    return wrapped("!", f"{counted(len(doubtful), 'case')} may be slower, which is not decided: at worst "
                   f"{worst:.2f}{mark} of A's rate") if doubtful else []


def _by_chance(rows: list[Pair], error: float) -> list[str]:
    tested = sum(bool(row.ratio and row.ratio.interval) for row in rows)
    if tested < MANY_CASES:
        return []
    return wrapped("", f"of {tested} equal cases up to {tested * error:.0f} would be called faster or "
                   "slower by chance")


def _offer(sides: list[Side], rows: list[Pair]) -> list[str]:
    """The commands that would decide, one for each program."""
    is_apart = sides[0].is_shipped or sides[0].is_elsewhere(sides[-1])
    found: dict[str, dict[str, Any]] = {}  # by program what its document says of itself
    for row in rows:
        if row.first and row.second and (row.verdict is Verdict.UNCLEAR if sides[0].is_shipped else row.more):
            context = row.second.case.context
            found.setdefault(str(context["quartet"].get("program")), context)
    if not found or len(sides) < 2:
        return []
    if is_apart:
        return _offer_sweeps(sides[0].is_shipped, found)
    builds = [_build(side) or word for side, word in zip(sides, ("BEFORE", "AFTER"))]
    if builds[0] == builds[1]:
        builds = ["BEFORE", "AFTER"]
    unknown = " and ".join(word for word in ("BEFORE", "AFTER") if word in builds)
    result = wrapped("", f"to decide, launch both in turn ({unknown}: build folders):" if unknown
                     else "to decide, launch both in turn:")
    return result + [line for name, context in found.items() for line in _in_lines(
        ["quartet", "compare", "--run", *builds, "--", *_command(name, context)])]


def _in_lines(words: list[str]) -> list[str]:
    """A command in lines that a shell joins."""
    result = ["   "]
    for word in map(shlex.quote, words):
        if len(f"{result[-1]} {word} \\") > WIDTH:
            result[-1] += " \\"
            result.append("       ")
        result[-1] += f" {word}"
    return result


def _offer_sweeps(is_shipped: bool, found: dict[str, dict[str, Any]]) -> list[str]:
    """Where nobody can launch both sides in turn: each by sweeps of its own."""
    how, first, second = (("keep launches of your own as the reference, launch as many later (--folder now/..)",
                           "sound", "now") if is_shipped else
                          ("launch on each machine (on the other with --folder other/..)", "one", "other"))
    sweeps = [["quartet", "sweep", *_sweep(name, context), "--folder", f"{first}/{name}"]
              for name, context in found.items()]
    return wrapped("", f"to decide, {how}, and compare:") + [
        line for words in [*sweeps, ["quartet", "compare", f"{first}/", f"{second}/"]] for line in _in_lines(words)]


def _sweep(program: str, context: dict[str, Any]) -> list[str]:
    """The flags of a sweep that launches what the document's launch ran."""
    words = _command(program, context)[1:]
    flags = dict(zip(words[::2], words[1::2]))
    factors = {f"--{name}": flags.pop(flag) for name in FACTORS for flag in (f"--{name}", f"--{name[:-1]}")
               if flag in flags}
    others = " ".join(f"{flag} {value}" for flag, value in flags.items())
    return ["--kernels", program, "--ranks", str(context["quartet"]["ranks"]),
            *(word for pair in factors.items() for word in pair), *(["--arguments", others] if others else []),
            "--launches", str(LEAST_LAUNCHES)]


def _build(side: Side) -> Optional[str]:
    """The build folder of a side's programs, where all are from one that is here."""
    folders = {Path(str(document["context"].get("executable", ""))).parent.parent
               for _, document in side.documents}
    return str(min(folders)) if len(folders) == 1 and min(folders).is_dir() else None


def _command(program: str, context: dict[str, Any]) -> list[str]:
    options = context["quartet"].get("options") or {}
    words = [program]
    for key in TELLING:
        if options.get(key) not in (None, "", "auto"):
            words += [f"--{key}", str(options[key])]
    return words
