"""The one page of quartet gpu: what the machine is, how each part went, which goals are met, and where to look when
something failed."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence
from urllib.parse import quote

from quartet.files import FileProblem
from quartet.results import Case, cases, load
from quartet.text import fraction, in_markdown, rate
from quartet_dev.gpu.counters import NO_NCU, Reading, readings, refusal
from quartet_dev.gpu.kernels import ON_GPU, Benchmark, Target, judged
from quartet_dev.gpu.parts import CHECK, CHECK_MEMORY, COUNTERS, KERNELS, PARTS, RATES, TESTS
from quartet_dev.gpu.steps import NOT_RUN, OK, WRONG, Gpu, PartRecord, Place, Record
from quartet_dev.limits.goals import GoalResult, Verdict

PAGE = "page.md"
NOT_MEASURED = "not measured"
LOOK = {
    KERNELS: "the rows that are WRONG: the test of that kernel",
    "build": "the end of its log; CMAKE_PREFIX_PATH, MPI_HOME, CUDAToolkit_ROOT",
    "memcheck": "its first error names kernel and line: nothing after it counts",
    "racecheck": "the two lines that it names; a barrier between them is missing",
    "synccheck": "the barrier or mask that it names, and which threads do not come",
    TESTS: "the tests that failed, then memcheck; kernels' tests say which one is wrong",
    CHECK: "the formulation and transport of the step; two ranks may share one GPU",
    CHECK_MEMORY: "as memcheck's: the first error",
    COUNTERS: "ncu's own message in its log",
}
LOOK_AT_RATES = "its log; then goals and rates below"


@dataclass(frozen=True)
class Judged:
    """A goal, and what became of it."""

    title: str  # of the launch
    target: Target
    result: Optional[GoalResult]
    state: str  # of the launch: what stands for a verdict where it left no document
    why_not: str = ""

    @property
    def verdict(self) -> str:
        if not self.result or not self.result.rounds:
            return NOT_MEASURED if self.state == OK else self.state
        return "MISSED" if self.result.verdict is Verdict.MISSED else self.result.verdict.value

    @property
    def what(self) -> str:
        kernel = self.title.split()[0].rstrip(",")
        return f"{kernel}: {self.target.goal.what}, of {self.target.goal.comparison.label}"


@dataclass
class Findings:
    """What the documents say."""

    judged: list[Judged] = field(default_factory=list)
    rows: list[Case] = field(default_factory=list)
    documents: list[dict[str, Any]] = field(default_factory=list)


def findings(records: dict[str, PartRecord], documents: Path) -> Findings:
    """The findings of the parts that have run; of a launch that left no document, what is said instead."""
    found = Findings()
    steps = {step.title: step for record in records.values() for step in record.steps}
    for benchmark in (each for kernel in ON_GPU.values() for each in kernel.benchmarks):
        step = steps.get(benchmark.title, Record(benchmark.title, NOT_RUN))
        document, why_not = _document(step, documents)
        rows = cases(document) if document else []
        found.documents += [document] if document else []
        found.rows += rows
        found.judged += _judged(benchmark, rows, step.state, why_not)
    return found


def _judged(benchmark: Benchmark, rows: list[Case], state: str, why_not: str) -> list[Judged]:
    return [Judged(benchmark.title, target, judged(target, benchmark.title, rows) if rows else None, state, why_not)
            for target in benchmark.targets]


def _document(step: Record, folder: Path) -> tuple[Optional[dict[str, Any]], str]:
    if not step.document:
        return None, step.reason
    try:
        return load(folder / step.document), ""
    except (FileProblem, OSError) as problem:
        return None, str(problem)


def write(place: Place, gpu: Gpu, records: dict[str, PartRecord]) -> Findings:
    """Writes the page, and returns what it says of goals."""
    found = findings(records, place.documents)
    lines = [f"# {in_markdown(gpu.name)}", ""]
    if any(record.small for record in records.values()):
        lines += ["**Small sizes, to try the command: no rate here means anything.**", ""]
    lines += [*_machine(found, gpu), *_parts(records), *_goals(found.judged), *_rates(found.rows),
              *_kernels(place.logs, records.get(KERNELS)), *_counters(place.logs, COUNTERS in records)]
    (place.results / PAGE).write_text("\n".join(lines), encoding="utf-8")
    return found


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(in_markdown(str(cell)) for cell in cells) + " |"

    return [line(headings), "|" + "---|" * len(headings), *map(line, rows), ""]


def _machine(found: Findings, gpu: Gpu) -> list[str]:
    rows = [("GPU", gpu.name), ("architecture", gpu.architecture), ("driver", gpu.driver or "not said")]
    uuids = {each["uuid"] for document in found.documents for each in document["context"]["quartet"].get("gpus", [])}
    rows += [("UUID", uuid) for uuid in sorted(uuids)]
    if found.documents:
        context = found.documents[-1]["context"]
        quartet = context["quartet"]
        rows += [("device", quartet.get("device_description", "")), ("MPI", quartet.get("mpi", "")),
                 ("compiler", quartet.get("build", {}).get("compiler", "")),
                 ("programs", f"{quartet['version']}, commit {quartet.get('commit', 'unknown')}"),
                 ("host", f"{context['host_name']}, {context['num_cpus']} CPUs")]
    return ["## Machine", "", *_table(("", ""), rows)]


def _parts(records: dict[str, PartRecord]) -> list[str]:
    rows = []
    for name in PARTS:
        record = records.get(name)
        if record is None:
            rows.append((name, NOT_RUN, "", "", "", ""))
            continue
        reasons = [step.reason for step in record.steps if step.state == record.state]
        rows.append((name, record.state, f"{record.seconds:.0f} s",
                     f"{sum(step.expected for step in record.steps):.0f} s", record.when,
                     LOOK.get(name, LOOK_AT_RATES) if record.state == WRONG else reasons[0] if reasons else ""))
    lines = ["## Parts", "", *_table(("part", "state", "time", "expected", "when", "look at"), rows)]
    for name in PARTS:
        for step in records[name].steps if name in records else []:
            if step.state != OK:
                log = f" ([log](logs/{quote(step.log)}))" if step.log else ""
                lines.append("- " + in_markdown(f"{name}, {step.title}: {step.state}: {step.reason}") + log)
    return [*lines, ""]


def _goals(judged_goals: list[Judged]) -> list[str]:
    rows = []
    for each in judged_goals:
        result = each.result
        measured = spread = ""
        if result and result.rounds:
            measured = fraction(result.ratio)
            spread = f"{fraction(result.spread[0])}..{fraction(result.spread[1])}"
        why_not = each.why_not or "; ".join(result.troubles if result else ())
        look = each.target.if_missed if each.verdict in ("MISSED", "above") else why_not
        rows.append((each.what, str(each.target.goal.bound), measured, spread, each.target.by_counting, each.verdict,
                     look))
    return ["## Goals", "",
            "Ratios of rates of one launch, whose rows ran in turns: medians over the runs, smallest "
            "and largest beside them. By counting: what bytes and operations lead to expect.", "",
            *_table(("ratio", "goal", "measured", "min..max", "by counting", "verdict", "look at"), rows)]


def _rates(rows: list[Case]) -> list[str]:
    told = [(case.text, "", case.error) if case.error else
            (case.text, f"{rate(case.rate)} {case.unit}{case.mark}",
             f"{case.fraction_of_limit:.2f}" if case.fraction_of_limit else "") for case in rows]
    return ["## Rates", "", *_table(("row", "median", "of its limit"), told)]


def _kernels(logs: Path, record: Optional[PartRecord]) -> list[str]:
    files = [logs / step.log for step in record.steps if step.title == RATES and step.log] if record else []
    said = [file.read_text(encoding="utf-8", errors="replace").strip() for file in files if file.exists()]
    shown = [f"    {line}" for text in said for line in text.splitlines()]  # which nothing in them can end
    return ["## Kernels alone", "", *(shown or [f"{NOT_RUN}."]), ""]


def _counters(logs: Path, have_run: bool) -> list[str]:
    found = readings(logs) if have_run else []
    if not found:
        why = (refusal(logs) or NO_NCU) if have_run else NOT_RUN
        return ["## Counters", "", in_markdown(why) + ".", ""]
    return ["## Counters", "", "Of each kernel's longest launch.", "",
            *_table(("kernel", "counter", "what", "wanted", "read", "verdict"), map(_reading, found))]


def _reading(each: Reading) -> tuple[str, ...]:
    return (each.kernel, each.counter.metric, each.counter.meaning, str(each.counter.bound),
            f"{each.value:g}", each.verdict)
