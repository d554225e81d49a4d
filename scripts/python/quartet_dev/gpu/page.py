"""The one page of quartet gpu: what the machine is, how each part went, what was promised, measured
and expected, and where to look when it failed."""

from pathlib import Path
from typing import Iterable, Optional, Sequence
from urllib.parse import quote

from quartet.text import fraction, in_markdown, rate
from quartet_dev.gpu.alone import RATES
from quartet_dev.gpu.ceilings import FLOPS_SHARE, MEMORY_SHARE, Ceilings
from quartet_dev.gpu.counters import NO_NCU, Reading, readings, refusal
from quartet_dev.gpu.findings import Findings, Kept, findings
from quartet_dev.gpu.record import PartRecord
from quartet_dev.gpu.steps import Gpu, Place
from quartet_dev.limits.goals import Bound

PAGE = "page.md"
LOOK = {
    "kernels": "the rows that are WRONG: the test of that kernel",
    "build": "the end of its log; CMAKE_PREFIX_PATH, MPI_HOME, CUDAToolkit_ROOT",
    "memcheck": "its first error names kernel and line: nothing after it counts",
    "racecheck": "the two lines that it names; a barrier between them is missing",
    "synccheck": "the barrier or mask that it names, and which threads do not come",
    "tests": "the tests that failed, then memcheck; kernels' tests say which one is wrong",
    "check": "the formulation and transport of the step; two ranks may share one GPU",
    "check-memory": "as memcheck's: the first error",
    "counters": "ncu's own message in its log",
}
LOOK_AT_RATES = "its log; then promises and rates below"


def write(place: Place, gpu: Gpu, parts: Sequence[str], records: dict[str, PartRecord]) -> Findings:
    """Writes the page, and returns what it says of promises."""
    found = findings(records, place.documents)
    lines = [f"# {in_markdown(gpu.name)}", ""]
    if any(record.small for record in records.values()):
        lines += ["**Small sizes, to try the script: no rate here means anything.**", ""]
    lines += [*_machine(found, gpu), *_parts(parts, records), *_promises(found.kept), *_rates(found),
              *_kernels(place.logs, records.get("kernels")), *_counters(place.logs, "counters" in records)]
    (place.results / PAGE).write_text("\n".join(lines), encoding="utf-8")
    return found


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(in_markdown(str(cell)) for cell in cells) + " |"

    return [line(headings), "|" + "---|" * len(headings), *map(line, rows), ""]


def _machine(found: Findings, gpu: Gpu) -> list[str]:
    rows = [("GPU", gpu.name), ("architecture", gpu.architecture), ("driver", gpu.driver or "not said")]
    for each in found.gpus:
        rows += [("UUID", each["uuid"]),
                 ("data sheet, computed from the driver's clocks, bus and cores",
                  str(Ceilings.of(each)))]
    if found.documents:
        context = found.documents[-1]["context"]
        quartet = context["quartet"]
        rows += [("device", quartet.get("device_description", "")), ("MPI", quartet.get("mpi", "")),
                 ("compiler", quartet.get("build", {}).get("compiler", "")),
                 ("programs", f"{quartet['version']}, commit {quartet.get('commit', 'unknown')}"),
                 ("host", f"{context['host_name']}, {context['num_cpus']} CPUs")]
    return ["## Machine", "", *_table(("", ""), rows)]


def _parts(parts: Sequence[str], records: dict[str, PartRecord]) -> list[str]:
    rows = []
    for name in parts:
        record = records.get(name)
        if record is None:
            rows.append((name, "has not run", "", "", ""))
            continue
        state = record.state
        failed = [step for step in record.steps if step.state == state and state != "ok"]
        rows.append((name, state, f"{record.seconds:.0f} s", record.when,
                     LOOK.get(name, LOOK_AT_RATES) if state in ("FAILED", "left out") else
                     failed[0].reason if failed else ""))
    lines = ["## Parts", "", *_table(("part", "state", "time", "when", "look at"), rows)]
    for name in parts:
        for step in records[name].steps if name in records else []:
            if step.state != "ok":
                log = f" ([log](logs/{quote(step.log)}))" if step.log else ""
                lines.append("- " + in_markdown(f"{name}, {step.title}: {step.state}: {step.reason}") + log)
    return [*lines, ""]


def _bound(bound: Bound) -> str:
    return str(bound) or "nothing"


def _promises(kept: list[Kept]) -> list[str]:
    rows = []
    for each in kept:
        result = each.result
        goal = each.promise.goal
        measured = spread = ""
        if result and result.rounds:
            measured = fraction(result.ratio)
            spread = f"{fraction(result.spread[0])}..{fraction(result.spread[1])}"
        why_not = each.why_not or "; ".join(result.troubles if result else ())
        look = each.promise.if_missed if each.verdict in ("MISSED", "above") else why_not
        rows.append((each.kernel, f"{goal.what}, of {goal.comparison.label}", _bound(goal.bound),
                     measured, spread, each.promise.by_counting, each.verdict, look))
    return ["## Promises", "",
            "Ratios of rates of one launch, whose rows ran in turns: medians over the runs, smallest "
            "and largest beside them. By counting: what bytes and operations lead to expect.", "",
            *_table(("kernel", "ratio", "promised", "measured", "min..max", "by counting", "verdict",
                     "look at"), rows)]


def _rates(found: Findings) -> list[str]:
    rows = []
    for each in found.rows:
        case = each.case
        if case.error:
            rows.append((case.text, "", "", case.error, ""))
            continue
        expected = f"{rate(each.expected)} {case.unit}" if each.expected else "none"
        share = f"{case.rate / each.expected:.2f}" if each.expected else ""
        limit = f"{case.fraction_of_limit:.2f}" if case.fraction_of_limit else ""
        rows.append((case.text, f"{rate(case.rate)} {case.unit}{case.mark}", limit, expected, share))
    return ["## Rates", "",
            f"Expected is arithmetic, not measured: bytes at {MEMORY_SHARE:g} of the data sheet's "
            f"memory rate, products at {FLOPS_SHARE:g} of its single precision (both shares are "
            "assumed). Where the driver does not tell clocks, bus and cores there is none.", "",
            *_table(("row", "median", "of its limit", "expected", "of that"), rows)]


def _kernels(logs: Path, record: Optional[PartRecord]) -> list[str]:
    files = [logs / step.log for step in record.steps if step.title == RATES and step.log] if record else []
    said = [file.read_text(encoding="utf-8", errors="replace").strip() for file in files if file.exists()]
    shown = [f"    {line}" for text in said for line in text.splitlines()]  # which nothing in them can end
    return ["## Kernels alone", "", *(shown or ["this part has not run."]), ""]


def _counters(logs: Path, have_run: bool) -> list[str]:
    found = readings(logs) if have_run else []
    if not found:
        why = refusal(logs) if have_run else "this part has not run"
        return ["## Counters", "", in_markdown(why or NO_NCU) + ".", ""]
    return ["## Counters", "", "Of each kernel's longest launch.", "",
            *_table(("kernel", "counter", "what", "wanted", "read", "verdict"),
                    map(_reading, found))]


def _reading(each: Reading) -> tuple[str, ...]:
    return (each.kernel, each.counter.metric, each.counter.meaning, str(each.counter.bound),
            f"{each.value:g}", each.verdict)
