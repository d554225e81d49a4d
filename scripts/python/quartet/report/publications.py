"""The published numbers of results/published, and which of them stand beside which results."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from quartet.documents import load_published
from quartet.paths import SHIPPED
from quartet.published.likeness import Match, is_like, match_of, merit
from quartet.text import BOUNDS

from .cases import Result

FOLDER = SHIPPED / "published"


@dataclass(frozen=True)
class Number:
    kernel: str
    value: float
    unit: str
    bound: str
    device: str  # the model
    is_gpu: bool
    conditions: str
    source: str
    caveat: str
    workers: Optional[int]  # computing devices
    base: Optional[int]  # of a speed-up: the devices it is against
    protocol: str
    match: Match

    def fits(self, result: Result) -> bool:
        """Whether a rate may stand in one chart with the result, whose axis is workers: the same kind of
        device, as many nodes, and a like size."""
        known = {factor: value for factor, value in _known(result).items() if factor != "workers"}
        return self.unit == result.unit and is_like(self.match, known)

    def is_of(self, result: Result) -> bool:
        """Whether a result is one of the two that make this speed-up's like: on any workers."""
        return self.unit == "speed-up" and is_like(self.match, {
            factor: value for factor, value in _known(result).items() if factor != "workers"})

    @property
    def text(self) -> str:
        return f"{BOUNDS[self.bound]} {self.value:g} {self.unit}" if self.unit != "speed-up" else f"{self.value:g}x"


def nearest(result: Result, numbers: list[Number]) -> Optional[Number]:
    """The rate that may be set against the result in a ratio, by the rule in the schema of published numbers."""
    known = _known(result)
    fitting = [number for number in numbers if number.unit == result.unit and is_like(number.match, known)]
    return max(fitting, default=None, key=lambda number: merit(
        number.match, known, number.device, (result.machine,) if number.is_gpu else (), number.value))


def _known(result: Result) -> dict[str, str]:
    name = result.name
    return {"kernel": name.kernel, "device": name.device, "transport": name.transport,
            "workers": str(result.workers), "nodes": str(result.nodes), **name.values}


def load(folder: Path = FOLDER) -> list[Number]:
    """Every published number. Raises OSError or ValueError where the folder does not hold them."""
    numbers = []
    for file in sorted(folder.glob("*.json")):
        document = load_published(file)
        short = document["source"]["short"]
        numbers += [_number(item, short) for item in document["numbers"]]
    return numbers


def _number(item: dict[str, Any], short: str) -> Number:
    base = re.match(r"\d+", item.get("base", ""))
    workers = item.get("workers", item["match"].get("workers"))
    return Number(kernel=item["kernel"], value=item["value"], unit=item["unit"],
                  bound=item["bound"], device=item["device"],
                  is_gpu=item["match"]["device"] == "cuda", conditions=item["conditions"],
                  source=f"{item.get('source', short)}, section {item['section']}",
                  caveat=item.get("caveat", ""), workers=int(workers) if workers else None,
                  base=int(base[0]) if base else None, protocol=item.get("protocol", ""),
                  match=match_of(item))
