"""Published numbers, and which of them a result is compared with, by the rule in
results/schema/quartet-published.schema.json."""

import functools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from quartet.files import FileProblem
from quartet.kernels import WORDS
from quartet.paths import SHIPPED
from quartet.results.document import load_published
from quartet.text import BOUNDS, counted, size_in_bytes

FOLDER = SHIPPED / "published"
LIKE_SIZE = 2  # sizes compare within this factor
SIZES = ("n", "size")
SPEED_UP = "speed-up"
FLOAT32 = "fp32"  # names do not have it
Result = Any  # a Row, or Launches of a case


@dataclass(frozen=True)
class Number:
    kernel: str
    value: float
    unit: str
    bound: str  # whether what was measured lies "above", "below" or "about" the value
    device: str  # the model
    conditions: str
    source: str
    caveat: str
    workers: Optional[int]  # computing devices
    nodes: Optional[int]
    base: Optional[int]  # of a speed-up: the devices it is against
    match: dict[str, tuple[str, ...]]  # each factor's possible values

    @property
    def text(self) -> str:
        """ "> 6000 MiB/s", "1.7x"."""
        return f"{self.value:g}x" if self.unit == SPEED_UP else f"{BOUNDS[self.bound]} {self.value:g} {self.unit}"

    def is_like(self, result: Result, besides: Iterable[str] = ()) -> bool:
        """True if the arithmetic and all factors that both have are alike, except the factors in `besides`."""
        known = _known(result)
        if known.get("math", FLOAT32) not in self.match.get("math", (FLOAT32,)):
            return False
        return all(_is_alike(factor, known[factor], theirs) for factor, theirs in self.match.items()
                   if factor in known and factor not in besides)

    def fits(self, result: Result) -> bool:
        """True if it may be in one chart with the result, over workers."""
        return self.unit == result.unit and self.is_like(result, ("workers",))

    def merit(self, result: Result) -> tuple[bool, int, float, float]:
        """A sort key for numbers that compare with the result, greatest for the best: of the same model of device, with
        most equal factors, nearest in size, with the highest value."""
        known = _known(result)
        shared = [factor for factor in self.match if factor in known]
        apart = sum(_distance(known[factor], self.match[factor]) for factor in shared if factor in SIZES)
        return self.is_of_device(result), len(shared), -apart, self.value

    def is_of_device(self, result: Result) -> bool:
        """True if the result is of the same model of GPU."""
        model = self.device.partition(" ")[0]  # "P100 PCIe" and "Tesla P100-PCIE-16GB"
        return any(model in other for other in result.gpus)


def _known(result: Result) -> dict[str, str]:
    name = result.name
    words = dict(zip(WORDS.get(name.kernel, ()), name.words))
    return {"kernel": name.kernel, "device": name.device, "transport": name.transport,
            "workers": str(result.workers), "nodes": str(result.nodes), **words, **name.values}


def _is_alike(factor: str, ours: str, theirs: tuple[str, ...]) -> bool:
    return _distance(ours, theirs) <= math.log2(LIKE_SIZE) if factor in SIZES else ours in theirs


def _distance(ours: str, theirs: tuple[str, ...]) -> float:
    size = size_in_bytes(ours)  # or a number
    apart = [abs(math.log2(size / other)) for other in map(size_in_bytes, theirs) if size and other]
    return min(apart, default=math.inf)


@functools.cache
def read(folder: Path = FOLDER) -> tuple[Number, ...]:
    """Every number in the files of a folder. Raises FileProblem, with the file and the reason."""
    numbers = []
    for file in sorted(folder.glob("*.json")):
        document = load_published(file)
        numbers += [_number(item, document["source"]["short"]) for item in document["numbers"]]
    if not numbers:
        raise FileProblem(f"{folder}: no published numbers there")
    return tuple(numbers)


def _number(item: Mapping[str, Any], short: str) -> Number:
    match = {factor: (value,) if isinstance(value, str) else tuple(value)
             for factor, value in {"kernel": item["kernel"], **item["match"]}.items()}
    if "workers" in item:
        match["workers"] = (str(item["workers"]),)
    base = re.match(r"[0-9]+", item.get("base", ""))

    def whole(factor: str) -> Optional[int]:
        return next((int(value) for value in match.get(factor, ()) if value.isdecimal()), None)

    return Number(item["kernel"], item["value"], item["unit"], item["bound"], item["device"], item["conditions"],
                  f"{item.get('source', short)}, section {item['section']}", item.get("caveat", ""),
                  whole("workers"), whole("nodes"), int(base[0]) if base else None, match)


def nearest(result: Result, numbers: Optional[Iterable[Number]] = None) -> Optional[Number]:
    """The published rate that the result is compared with, of `numbers` or of those that are shipped."""
    like = (number for number in (read() if numbers is None else numbers)
            if number.unit == result.unit and number.is_like(result))
    return max(like, default=None, key=lambda number: number.merit(result))


def comparison(result: Result, rate: float) -> Optional[dict[str, Any]]:
    """The nearest number, and the ratio of `rate` to it."""
    number = nearest(result)
    if not number:
        return None
    known = {"caveat": number.caveat, "nodes": number.nodes, "device": number.device}
    return {"value": number.value, "unit": number.unit, "bound": number.bound, "conditions": number.conditions,
            "source": number.source, **{key: value for key, value in known.items() if value},
            "ours": place_of_ours(result.nodes, result.workers), "ratio": rate / number.value}


def place_of_ours(nodes: int, workers: int) -> str:
    """Nodes and workers of a result, for a comparison with a published number."""
    return f"{'within one node' if nodes == 1 else f'on {nodes} nodes'}, {counted(workers, 'worker')}"
