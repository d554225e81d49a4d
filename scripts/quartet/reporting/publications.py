"""The published numbers of results/published, and which of them stand beside which results."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.documents import load_published
from quartet.paths import SHIPPED
from quartet.wording import BOUNDS

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
    nodes: Optional[int] = None

    def fits(self, result: Result) -> bool:
        """Whether the two may stand side by side: the same kind of device, on as many nodes."""
        return (self.kernel == result.name.kernel and self.unit == result.unit
                and self.is_gpu == (result.name.device == "cuda")
                and self.nodes in (None, result.nodes))

    @property
    def text(self) -> str:
        return f"{BOUNDS[self.bound]} {self.value:g} {self.unit}" if self.unit != "speed-up" else \
            f"{self.value:g}x"


def load(folder: Path = FOLDER) -> list[Number]:
    """Every published number. Raises OSError or ValueError where the folder does not hold them."""
    numbers = []
    for file in sorted(folder.glob("*.json")):
        document = load_published(file)
        short = document["source"]["short"]
        numbers += [_number(item, short) for item in document["numbers"]]
    return numbers


def _number(item: dict, short: str) -> Number:
    base = re.match(r"\d+", item.get("base", ""))
    workers = item.get("workers", item["match"].get("workers"))
    return Number(kernel=item["kernel"], value=item["value"], unit=item["unit"],
                  bound=item["bound"], device=item["device"],
                  is_gpu=item["match"]["device"] == "cuda", conditions=item["conditions"],
                  source=f"{item.get('source', short)}, section {item['section']}",
                  caveat=item.get("caveat", ""), workers=int(workers) if workers else None,
                  base=int(base[0]) if base else None, protocol=item.get("protocol", ""),
                  nodes=int(item["match"]["nodes"]) if "nodes" in item["match"] else None)
