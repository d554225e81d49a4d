"""The page's tables: each kernel's rows on one problem, host against GPU, published numbers, machines, every row; and
the page's warnings, which a reader must know before quoting a number."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from quartet.results import Row, commit, device, grouped, load_published
from quartet.results.identity import facts
from quartet.results.published import FOLDER, SPEED_UP, Number, nearest, place_of_ours
from quartet.text import CHECKS, counted, fraction_cell, limit_cell, listed, plain_versions, rate, ratio

from .data import Material, Result, best_by, by_kernel, library_of, natural, plain_name, problem, size_of, usable, way
from .figures import comparable, published_speed_up
from .page import PageWarning, Section, Table

LONGEST = 300  # characters of a setting's values
_OF_ONE_LAUNCH = {"json", "force", "progress", "list", "dry-run", "config", "quiet", "trace"}  # options


INTERVAL = "95% interval, or range of launches"


def summary(results: list[Result], numbers: Sequence[Number]) -> Section:
    """The rows of the first charts."""
    several = len({result.machine for result in results}) > 1
    rows = [_row(result, shown, numbers, several) for shown in comparable(results) for result in shown]
    heading = ("kernel", "way", "rate", "fraction", "problem", INTERVAL, "limit", "over the library", "published",
               "machine")
    numeric = frozenset({"rate", "fraction", INTERVAL, "limit"})
    return Section("rates", "Rates", tables=[Table(heading, rows, numeric)] if rows else [],
                   missing="No row was verified.", command="any program without --verify off")


def _interval(result: Result) -> str:
    return f"{rate(result.interval[0])} to {rate(result.interval[1])}" if result.interval else ""


def _row(result: Result, shown: list[Result], numbers: Sequence[Number], several: bool) -> tuple[str, ...]:
    library, lacks = library_of(result, shown)
    shared = tuple(set.intersection(*(set(each.name.variant) for each in shown)))
    over = ratio(result.rate / library.rate) + f" ({lacks})" * bool(lacks) if library and not result.rate_mark else ""
    number = nearest(result, numbers)
    beside = f"{ratio(result.rate / number.value)}{result.rate_mark} of {number.text}: {number.conditions}; ours " \
             f"{place_of_ours(result.nodes, result.workers)}" if number else ""
    return (result.name.kernel, way(result, shared), f"{rate(result.rate)}{result.rate_mark} {result.unit}",
            fraction_cell(result.fraction, result.mark), problem(result), _interval(result),
            limit_cell(result.limit), over, beside, result.machine * several)


def devices(results: list[Result]) -> Section:
    """The fastest way on the host beside the fastest on GPUs, problem by problem."""
    rows = []
    for members in grouped(usable(results), lambda result: (result.name.kernel, size_of(result))).values():
        best = best_by(members, lambda result: result.name.device)
        if {"host", "cuda"} <= best.keys():
            host, cuda = best["host"], best["cuda"]
            doubtful = host.rate_mark or cuda.rate_mark
            is_same = all(host.name.values.get(key) == cuda.name.values.get(key) for key in ("pushes", "iterations"))
            tasks = [is_same * float(each.row.median.get("whole_task_seconds", 0)) for each in (host, cuda)]
            rows.append((host.name.kernel, problem(host).partition(", ")[0],
                         *(f"{rate(each.rate)}{each.rate_mark} {each.unit}" for each in (host, cuda)),
                         "" if doubtful else ratio(cuda.rate / host.rate),
                         *(f"{seconds:.3g}" if seconds else "" for seconds in tasks),
                         ratio(tasks[0] / tasks[1]) if tasks[0] and tasks[1] else "",
                         *(f"{counted(each.workers, 'worker')}, {way(each)}; {each.machine}" for each in (host, cuda))))
    heading = ("kernel", "problem", "host", "GPU", "rates' ratio", "host, whole task in seconds", "GPU, whole task",
               "tasks' ratio", "host is", "GPU is")
    return Section("devices", "Host against GPU",
        "The rate is of the timed part. The whole task is what a user waits for, from the launch to the results.",
        tables=[Table(heading, rows, frozenset(heading[2:8]))] if rows else [],
        missing="No problem was run on both the host and a GPU.",
        command="on a machine with a GPU: quartet launch 2 cg --device cuda --json results/runs/cg-cuda.json, and the "
                "same with --device host")


def published(results: list[Result], numbers: Sequence[Number]) -> Section:
    """Published numbers of these kernels: first those that compare with our rows, then the others for orientation."""
    kernels = {result.name.kernel for result in results}
    beside, others = [], list[tuple[str, ...]]()
    for number in (number for number in numbers if number.kernel in kernels):
        row = (number.kernel, number.text, number.device, number.conditions, number.source, number.caveat)
        if number.unit == SPEED_UP:
            step = published_speed_up(results, number)
            found = (f"{step[0]:.2f}x", step[1]) if step else None
        else:
            ours = max((result for result in usable(results) if result.unit == number.unit and result.mark != "?"
                        and number.is_like(result)), default=None, key=lambda result: result.rate)
            found = (f"{rate(ours.rate)} {ours.unit} ({ratio(ours.rate / number.value)})",
                     f"{way(ours)}, {problem(ours)}; {ours.machine}") if ours else None
        beside += [(*row[:4], *found, *row[4:])] if found else []
        others += [] if found or number.unit == SPEED_UP else [(*row[:3], "", *row[3:])]
    measured = dict.fromkeys((result.name.kernel, result.name.device == "cuda")
                             for result in sorted(results, key=by_kernel))
    others += [_neighbour(kernel, item) for kernel, on_gpu in measured for item in neighbours(kernel, on_gpu)]
    tables = [Table(("kernel", "published", "device", "conditions", "ours", "ours is", "source", "caveat"), beside,
                    frozenset({"ours"}), "Like work on the same kind of device")] if beside else []
    tables += [Table(("kernel", "rate", "device", "of peak", "conditions", "source", "caveat"), others,
                     frozenset({"rate", "of peak"}), "Other machines and conditions, for orientation",
                     is_folded=True)] if others else []
    return Section("published", "Published numbers", tables=tables, missing="Nothing is published of these kernels.")


def neighbours(kernel: str, on_gpu: bool) -> list[dict[str, Any]]:
    """The published numbers of a kernel on current devices of this kind."""
    try:
        document = load_published(FOLDER / f"{kernel}.json")
    except FileNotFoundError:
        return []
    return [item for item in document.get("orientation", []) if item["memory"] == ("device" if on_gpu else "host")]


def _neighbour(kernel: str, item: dict[str, Any]) -> tuple[str, ...]:
    share = f"{item['value'] / item['peak']:.0%}" if "peak" in item else ""
    return (kernel, f"{rate(item['value'])} {item['unit']}", item["device"], share,
            f"{item['benchmark']}: {item['conditions']}", f"{item['source']}: {item['url'].split('://')[-1]}",
            item.get("caveat", ""))


def machines(documents: list[tuple[str, dict[str, Any]]]) -> Section:
    """A table of the recorded settings for each machine and commit."""
    groups = grouped((document for _, document in documents),
                     lambda document: (device(document), str(document["context"]["quartet"].get("commit"))))
    tables = [Table(("setting", "value"), _settings(members), caption=f"{name}, commit {commit}", is_folded=True)
              for (name, commit), members in groups.items()]
    return Section("machine", "Machines and settings", tables=tables)


def _values(found: Iterable[Any]) -> str:
    """The distinct values in natural order; a long list is shortened."""
    distinct = sorted({str(value) for value in found if value not in ("", None)}, key=natural)
    text = listed(distinct, 12)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} .."


def _settings(documents: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The recorded facts that `compare` and `history` use, and the programs' options."""
    dates = sorted(str(document["context"]["date"]) for document in documents)
    found: dict[str, list[str]] = {"documents": [str(len(documents))],
                                   "measured": [" to ".join(dict.fromkeys((dates[0], dates[-1])))]}
    for document in documents:
        quartet = document["context"]["quartet"]
        own = {"hosts": ", ".join(sorted({str(place["host"]) for place in quartet["placement"]})),
               "ranks on nodes": f"{quartet['ranks']} on {quartet['nodes']}",
               "threads a rank": str(quartet.get("threads", "")), **facts(document),
               **{f"option --{key}": ", ".join(map(str, value)) if isinstance(value, list) else str(value)
                  for key, value in quartet["options"].items() if key not in _OF_ONE_LAUNCH}}
        for key, value in own.items():
            found.setdefault(key, []).append(value)
    return [(key, text) for key, values in found.items() if (text := _values(values))]


def every_row(results: list[Result], failed: list[tuple[str, Row]]) -> Section:
    """A line for each row on each machine; failed rows come last."""
    several = len({result.machine for result in results}) > 1
    rows: list[tuple[str, ...]] = [
            (result.row.text, rate(result.rate) + result.rate_mark, result.unit, _interval(result),
             str(len(result.rows)), str(result.runs),
             f"{result.row.seconds * result.row.rate / (result.rate or 1):.4g}", CHECKS[result.verified],
             limit_cell(result.limit), fraction_cell(result.fraction, result.mark), result.row.network_path.text,
             "; ".join(filter(None, [result.why_marked, result.row.note])), result.machine * several,
             ", ".join(dict.fromkeys(result.paths)))
            for result in results]
    rows += [(row.text, *[""] * 6, "not run" if row.is_not_run else "failed", "", "", "", row.error,
              row.machine * several, path) for path, row in failed]
    heading = ("case", "median", "unit", INTERVAL, "launches", "runs", "seconds", "check", "limit", "fraction",
               "network path", "note", "machine", "document")
    table = Table(heading, rows, frozenset({*heading[1:2], *heading[3:7], *heading[8:10]}),
                  f"All {counted(len(rows), 'row')}", is_folded=True)
    return Section("rows", "Every row", tables=[table] if rows else [], missing="No row.")


def warnings(material: Material) -> list[PageWarning]:
    """All warnings; a grave one says that a result is wrong or missing."""
    results = material.results
    failed = [(path, row) for path, row in material.failed if not row.is_not_run]
    not_run = dict.fromkeys(row.text for _, row in material.failed if row.is_not_run)
    found = [
        PageWarning("Documents that could not be read", tuple(material.skipped), True),
        PageWarning("Wrong results, left out of all charts", tuple(
            f"{result.row.text} ({', '.join(sorted(set(result.paths)))})" for result in results
            if result.verified is False), True),
        *(PageWarning(f"Failed: {message}", tuple(f"{row.text} ({path})" for path, row in members), True)
          for message, members in grouped(failed, lambda item: item[1].error).items()),
        PageWarning("Not run: they got no time", tuple(not_run)),
        PageWarning("In doubt: not to be quoted", tuple(
            f"{plain_name(result)}: {result.why_marked}" for result in results if result.mark == "?")),
        PageWarning("Above their limit: quote the rate, not the fraction", tuple(
            f"{plain_name(result)}: {result.fraction:.0%}" for result in results if result.mark == "!"))]
    return [warning for warning in found if warning.about] + list(_of_documents(material))


def _of_documents(material: Material) -> Iterator[PageWarning]:
    contexts = [document["context"] for _, document in material.documents]
    if any(context.get("library_build_type") == "debug" for context in contexts):
        yield PageWarning("Some documents are from a debug build: do not quote their rates.", is_grave=True)
    commits = sorted({commit(document) for _, document in material.documents})
    if len(commits) > 1:
        yield PageWarning("Rows of several commits stand side by side", tuple(commits))
    changed = ", ".join(each for each in commits if each.endswith("-dirty"))
    if changed:
        yield PageWarning(f"Built from a changed working tree, so nobody can repeat these exactly: {changed}")
    marked = [result.row.text for result in material.results if result.mark]
    said = Counter(str(text) for context in contexts for text in context["quartet"].get("warnings") or []
                   if not str(text).startswith("! ")
                   and not any(f" {name} " in f" {text} ".replace(": ", " ") for name in marked))
    longest_first = sorted(material.results, key=lambda result: -len(result.row.text))
    for text, count in said.items():
        for result in longest_first if "/" in text else ():
            text = text.replace(result.row.text, plain_name(result))
        yield PageWarning(f"Said by the program: {plain_versions(text)}" + f" ({count} documents)" * (count > 1))
