"""How the verdict of a check of one node is written: for people, as JSON, and for Prometheus."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

from quartet.node_check.check import Found, Verdict
from quartet.node_check.look import Row

PREFIX = "quartet_node_check"


@dataclass(frozen=True)
class Report:
    node: str
    began: float  # seconds since 1970
    seconds: float
    found: Found

    def line(self) -> str:
        return f"{self.node}: {self.found.verdict.value}: {self.found.reason}; next: {self.found.next}"

    def json(self) -> str:
        """One object on one line."""
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.began))
        return json.dumps({"node": self.node, "time": date, "seconds": round(self.seconds, 3),
                           "verdict": self.found.verdict.value, "reason": self.found.reason, "next": self.found.next,
                           "rows": [row.as_json() for row in self.found.rows]})

    def prometheus(self) -> str:
        """The text format of Prometheus (its documentation, "Exposition formats", version 0.0.4)."""
        return "".join(f"{line}\n" for line in self._metrics())

    def _metrics(self) -> Iterator[str]:
        yield from _metric("state", "1 for the verdict, 0 for the others", {
            _labels(state=one.value.replace(" ", "_")): float(one is self.found.verdict) for one in Verdict})
        yield from _metric("time_seconds", "when the check began, since 1970", {"": self.began})
        yield from _metric("duration_seconds", "how long it took", {"": self.seconds})
        rows = self.found.rows
        yield from _metric("rate", "what a row reached, in its unit", {
            _labels(row=row.case.text, unit=row.case.unit): row.case.rate for row in rows})
        yield from _metric("fraction_of_limit", "of the limit that was measured beside it",
                           {_name(row): row.case.fraction_of_limit for row in rows if row.case.fraction_of_limit})
        yield from _metric("fraction_of_reference", "of the reference's median",
                           {_name(row): row.of_reference for row in rows if row.of_reference})


def _name(row: Row) -> str:
    return _labels(row=row.case.text)


def _labels(**labels: str) -> str:
    escapes = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    return "{" + ",".join(f'{key}="{value.translate(escapes)}"' for key, value in labels.items()) + "}"


def _metric(name: str, text: str, samples: dict[str, float]) -> Iterator[str]:
    if samples:
        yield f"# HELP {PREFIX}_{name} The last check of this node: {text}."
        yield f"# TYPE {PREFIX}_{name} gauge"
        yield from (f"{PREFIX}_{name}{labels} {value:.15g}" for labels, value in samples.items())
