"""What result documents hold: Google Benchmark's schema with the keys that Quartet adds.

documents.py reads them. cases() gives what was measured in one."""

from dataclasses import dataclass, field
from typing import Optional

from quartet.units import SECONDS

OWN_FORMULATIONS = ("native", "dataflow", "library")  # of the programs
TENSORFLOW = "tensorflow"  # the data flow by TensorFlow itself (quartet peers)
FORMULATIONS = (*OWN_FORMULATIONS, TENSORFLOW)
RATE_UNITS = ("MiB/s", "GFLOP/s")
MOST_DIGITS = 18
OF_MODELS = {"emulated", "simulated"}  # flags of rows that are no measurement
HARMLESS_FLAGS = {"above_limit", "overhead"}  # the first has a mark of its own
SUSPICIOUS_FRACTION = 1.05  # of the limit: above it, limit and rate disagree


def whole_number(text: str) -> Optional[int]:
    """Of a name's factor; None where it is none, or one that no machine has."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


@dataclass(frozen=True)
class Name:
    """What a row's name says: "stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1"."""

    kernel: str
    formulation: str = ""
    device: str = ""
    transport: str = ""
    words: tuple[str, ...] = ()  # factors without a key, as "laplace"
    values: dict[str, str] = field(default_factory=dict)  # factors with one, in the name's order

    @staticmethod
    def parse(text: str) -> "Name":
        parts = text.split("/")
        plain = [part for part in parts if ":" not in part]
        values = dict(part.split(":", 1) for part in parts if ":" in part)
        leading = (plain + [""] * 4)[:4]
        return Name(*leading, words=tuple(plain[4:]), values=values)

    @property
    def size(self) -> str:
        return self.values.get("size", self.values.get("n", ""))

    @property
    def ranks(self) -> int:
        """0 where the name does not say."""
        return whole_number(self.values.get("ranks", "")) or 0

    @property
    def pair(self) -> Optional[tuple[int, int]]:
        """Sender and receiver, where only these two took part."""
        first, second = (whole_number(part) for part in
                         (self.values.get("pair", "").split("-") + [""])[:2])
        return None if first is None or second is None else (first, second)


@dataclass(frozen=True)
class Case:
    """One way to run a kernel, and how it went: a rate, or an error."""

    name: Name
    text: str = ""  # its name as written
    error: str = ""
    unit: str = ""
    rate: float = 0  # median
    interval: Optional[tuple[float, float]] = None  # 95% of the median, as rates
    limit: Optional[dict] = None
    fraction_of_limit: Optional[float] = None
    verified: Optional[bool] = None
    workers: int = 0  # computing devices
    note: str = ""  # what the transport says of itself
    published: Optional[dict] = None
    median: dict = field(default_factory=dict)  # the row, as written
    rates: tuple[float, ...] = ()  # of each run

    @property
    def seconds(self) -> float:
        """Of the median run."""
        return self.median["real_time"] * SECONDS[self.median["time_unit"]]

    @property
    def fraction_of_all_ranks(self) -> Optional[float]:
        """Of what all ranks would allow; None where all take part in what limits."""
        return self.median.get("fraction_of_all_ranks")

    @property
    def whole_task(self) -> dict[str, float]:
        """Seconds of its stages, from the launch to the results in files; empty where not measured."""
        return self.median.get("whole_task") or {}

    @property
    def total_seconds(self) -> Optional[float]:
        """With input and output."""
        return self.median.get("total_seconds")

    @property
    def runs(self) -> int:
        return self.median.get("iterations", 1)

    @property
    def phases(self) -> dict[str, float]:
        """Busy seconds of the slowest rank by phase; they overlap."""
        return self.median.get("phases", {})

    @property
    def huge_pages(self) -> bool:
        """Whether the row says that its windows are mapped by huge pages."""
        return self.median.get("huge_pages") is True

    @property
    def is_suspicious(self) -> bool:
        """Whether limit and rate disagree by more than chance, as its program says; of an older
        document, whether its fraction of the limit is implausible."""
        if self.median.get("distrusted") is not None:
            return "above_limit" in self.flags
        return (self.fraction_of_limit or 0) > SUSPICIOUS_FRACTION

    @property
    def flags(self) -> dict[str, str]:
        """What is odd about the row: by kind, in plain words. Of an older document its drift."""
        found = {str(flag.get("kind")): str(flag.get("text", ""))
                 for flag in self.median.get("flags") or []}
        if "distrusted" not in self.median and "drift" in self.median:
            found.setdefault("drift", f"drifted by {self.median['drift']:+.0%}")
        return found

    @property
    def is_distrusted(self) -> bool:
        """Whether a flag stayed that is about more than the limit: never quote it without `?`."""
        kinds = set(self.flags)
        is_harmless = bool(kinds) and kinds <= HARMLESS_FLAGS
        return self.median.get("distrusted", "drift" in kinds) is True and not is_harmless

    @property
    def is_of_model(self) -> bool:
        """Whether nothing was computed: operations took what a machine's file says. Always distrusted."""
        return bool(OF_MODELS & set(self.flags))

    @property
    def mark(self) -> str:
        """That stands behind its rate everywhere."""
        return "?" if self.is_distrusted else "!" if self.is_suspicious else ""

    @property
    def fraction_interval(self) -> Optional[tuple[float, float]]:
        """95% of the fraction of the limit."""
        bounds = self.median.get("fraction_of_limit_ci95")
        return (bounds[0], bounds[1]) if bounds else None


def are_suspicious(launches) -> bool:
    """Whether a case was above its limit in most of its launches."""
    return 2 * sum(case.is_suspicious for case in launches) > len(launches)


def nodes(document: dict) -> int:
    return document["context"]["quartet"].get("nodes", 1)


def commit(document: dict) -> str:
    """Of the programs' sources; empty where it is not recorded."""
    return str(document["context"]["quartet"].get("commit", ""))


def models_of_gpus(document: dict) -> tuple[str, ...]:
    """Each once; none on the host."""
    gpus = document["context"]["quartet"].get("gpus") or []
    return tuple(sorted({str(gpu.get("name", "GPU")) for gpu in gpus}))


def device(document: dict) -> str:
    """What computed: the GPU's model, or the processor's with how many CPUs the node has."""
    context = document["context"]
    quartet = context["quartet"]
    models = models_of_gpus(document)
    if quartet.get("device") == "cuda" and models:
        return ", ".join(models)
    processor = quartet.get("device_description", "unknown processor").split(";")[0]
    return f"{processor}, {context.get('num_cpus', '?')} CPUs"


def warnings(document: dict) -> list[str]:
    return document["context"].get("quartet", {}).get("warnings", [])


def cases(document: dict) -> list[Case]:
    """Every case, in the document's order. What is timed by the paper's own clock (".../paper")
    is no case of its own: its published number goes with the case that it belongs to."""
    aggregates: dict[str, dict[str, dict]] = {}
    runs: dict[str, list[dict]] = {}
    result = []
    for row in document["benchmarks"]:
        if row.get("error_occurred"):
            name = Name.parse(row["name"][: -len("/error")])
            result.append(Case(name, row["name"][: -len("/error")], row["error_message"]))
        elif row["run_type"] == "aggregate":
            aggregates.setdefault(row["run_name"], {})[row["aggregate_name"]] = row
        else:
            runs.setdefault(row["run_name"], []).append(row)
    for run_name, rows in aggregates.items():
        if "median" in rows and not run_name.endswith("/paper"):
            paper = aggregates.get(run_name + "/paper", {}).get("median", {})
            result.append(_measured(run_name, rows, paper, runs.get(run_name, [])))
    return result


def _measured(run_name: str, rows: dict[str, dict], paper: dict, runs: list[dict]) -> Case:
    median = rows["median"]
    unit = next(unit for unit in RATE_UNITS if unit in median)
    bounds = sorted(rows[key][unit] for key in ("ci95_low", "ci95_high") if key in rows)
    return Case(
        name=Name.parse(run_name),
        text=run_name,
        unit=unit,
        rate=median[unit],
        interval=(bounds[0], bounds[1]) if len(bounds) == 2 else None,
        limit=median.get("limit"),
        fraction_of_limit=median.get("fraction_of_limit"),
        verified=median.get("verified"),
        workers=median.get("workers", 0),
        note=median.get("note", ""),
        published=paper.get("published", median.get("published")),
        median=median,
        rates=tuple(row[unit] for row in runs),
    )
