"""An index of documents in memory, for queries by SQL. The documents are the store; a launch is one value of a row."""

import json
import sqlite3
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Optional

from quartet.history.facts import Dated, facts
from quartet.results import identity, judged, models_of_gpus
from quartet.results.document import device

TABLES = """
CREATE TABLE launch(id INTEGER PRIMARY KEY, time REAL, node TEXT, machine TEXT, kind TEXT, place TEXT);
CREATE TABLE rate(launch INTEGER, row TEXT, unit TEXT, rate REAL, fraction REAL);
CREATE TABLE fact(launch INTEGER, what TEXT, value TEXT);
"""
# Machines that share a name are nodes of their own, as every virtual machine that is called vm.
NAMESAKES = """
UPDATE launch SET node = node || ' (' || machine || ')'
WHERE node IN (SELECT node FROM launch GROUP BY node HAVING COUNT(DISTINCT machine) > 1)
"""


@dataclass(frozen=True)
class Series:
    """A row on one node, over time."""

    node: str
    row: str
    unit: str
    kind: str  # of the node, at last
    times: tuple[float, ...]  # ascending, seconds since 1970
    rates: tuple[float, ...]


@dataclass(frozen=True)
class Launched:
    """A row of one launch, and where it ran."""

    node: str
    kind: str  # of the node
    place: tuple[object, ...]  # as of a Case
    row: str
    unit: str
    time: float
    rate: float
    fraction: Optional[float]  # of the limit


class Store:
    """Documents of any folders. Rows that failed, are wrong, or that the judge distrusts are left out and counted."""

    def __init__(self, documents: Iterable[tuple[Path, dict[str, Any]]]):
        self.left_out = 0
        self.launches = 0
        self.undated: list[Path] = []  # whose date is none
        self._machines: dict[str, list[tuple[identity.Facts, str]]] = {}  # by node: models, and in words
        self._index = sqlite3.connect(":memory:")
        weakref.finalize(self, self._index.close)
        self._index.executescript(TABLES)
        for file, document in documents:
            self._add(file, document)
        self._index.execute(NAMESAKES)
        self._index.execute("CREATE INDEX fact_launch ON fact(launch)")

    def _add(self, file: Path, document: dict[str, Any]) -> None:
        try:
            time = datetime.fromisoformat(str(document["context"]["date"]).replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            self.undated.append(file)
            return
        # A launch is judged by itself: a row that fell would else be below its neighbours of better times, and vanish.
        every = judged([document])[0]
        sound = [case for case in every if not case.error and not case.is_distrusted and case.verified is not False]
        self.left_out += len(every) - len(sound)
        self.launches += 1
        node = _node(document)
        place = json.dumps(every[0].place if every else ())
        self._index.execute("INSERT INTO launch VALUES (?, ?, ?, ?, ?, ?)",
                            (self.launches, time, node, self._machine(node, document), kind(document), place))
        self._index.executemany("INSERT INTO rate VALUES (?, ?, ?, ?, ?)",
                                [(self.launches, case.text, case.unit, case.rate, case.fraction_of_limit)
                                 for case in sound if case.rate > 0])
        self._index.executemany("INSERT INTO fact VALUES (?, ?, ?)",
                                [(self.launches, *item) for item in facts(document, every).items()])

    def _machine(self, node: str, document: dict[str, Any]) -> str:
        """Which of the machines of this name it is, by models of processor and GPU: as its first document has it."""
        known, models = self._machines.setdefault(node, []), _models(document)
        for place, (others, words) in enumerate(known):
            if not identity.are_different(models, others):
                known[place] = (tuple({**dict(models), **dict(others)}.items()), words)
                return words
        known.append((models, kind(document)))
        return kind(document)

    def series(self) -> list[Series]:
        found: dict[tuple[str, str, str], list[tuple[float, float, str]]] = {}
        for node, row, unit, time, rate, kind_then in self._index.execute(
                "SELECT node, row, unit, time, rate, kind FROM rate JOIN launch ON launch = id "
                "ORDER BY row, node, time, id"):
            found.setdefault((node, row, unit), []).append((time, rate, kind_then))
        return [Series(node, row, unit, values[-1][2], tuple(value[0] for value in values),
                       tuple(value[1] for value in values)) for (node, row, unit), values in found.items()]

    def launched(self, node: str, begin: float) -> Iterator[Launched]:
        """The rows there from that time on."""
        for kind_then, place, *rest in self._index.execute(
                "SELECT kind, place, row, unit, time, rate, fraction FROM launch JOIN rate ON launch = id "
                "WHERE node = ? AND time >= ? ORDER BY time, id", (node, begin)):
            yield Launched(node, kind_then, tuple(json.loads(place)), *rest)

    def facts_of(self, nodes: Iterable[str], begin: float, end: float) -> dict[str, dict[str, Dated]]:
        """What each node's launches of that time recorded, by fact and node."""
        found: dict[str, dict[str, list[tuple[float, str]]]] = {}
        for node in nodes:
            for what, time, value in self._index.execute(
                    "SELECT what, time, value FROM launch JOIN fact ON launch = id "
                    "WHERE node = ? AND time BETWEEN ? AND ? ORDER BY time", (node, begin, end)):
                found.setdefault(what, {}).setdefault(node, []).append((time, value))
        return {what: dict(by_node) for what, by_node in found.items()}


def _node(document: dict[str, Any]) -> str:
    """The hosts of its ranks. Where a container hid them, the kind of machine stands for them."""
    if not identity.host(document):
        return device(document)
    places = document["context"]["quartet"].get("placement") or []
    hosts = {str(place["host"]) for place in places if place.get("host")}
    return " ".join(sorted(hosts)) or str(document["context"].get("host_name"))


def _models(document: dict[str, Any]) -> identity.Facts:
    """What never changes of a machine."""
    processor = (document["context"]["quartet"].get("system") or {}).get("processor") or {}
    models = {"processor": str(processor.get("name", "")), "GPU": ", ".join(models_of_gpus(document))}
    return (*((key, name) for key, name in models.items() if name), *identity.numbers(document))


def kind(document: dict[str, Any]) -> str:
    """The kind of node: models of processor and GPU, how many CPUs. Equal rates may be expected of equal kinds."""
    context, quartet = document["context"], document["context"]["quartet"]
    processor = (quartet.get("system") or {}).get("processor") or {}
    name = processor.get("name") or str(quartet.get("device_description", "unknown processor")).split(";")[0]
    return ", ".join([str(name), *models_of_gpus(document), f"{context.get('num_cpus', '?')} CPUs"])
