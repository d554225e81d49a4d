"""Published numbers as one side of a comparison."""

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.compare.sides import Sample
from quartet.documents import load_published
from quartet.files import FileProblem, read_json
from quartet.published.likeness import Match, is_like, match_of, merit
from quartet.results import RATE_UNITS


@dataclass(frozen=True)
class Number:
    value: float
    unit: str
    bound: str  # whether what was measured lies "above", "below" or "about" the value
    conditions: str
    source: str
    caveat: str
    device: str  # the model
    match: Match


@dataclass(frozen=True)
class Numbers:
    """Rates only: a speed-up is of two results, and quartet sweep shows ours."""

    entries: tuple[Number, ...]

    def nearest(self, sample: Sample) -> Optional[Number]:
        """By the rule in the schema of published numbers."""
        name = sample.name
        known = {"kernel": name.kernel, "device": name.device, "transport": name.transport,
                 "workers": str(sample.cases[0].workers), "nodes": str(sample.nodes), **name.values}
        fitting = [number for number in self.entries
                   if number.unit == sample.unit and is_like(number.match, known)]
        return max(fitting, default=None, key=lambda number: merit(
            number.match, known, number.device, sample.gpus, number.value))


def read_numbers(folder: Path) -> Numbers:
    """All files of a folder. Raises FileProblem, with the file and the reason."""
    entries: list[Number] = []
    for file in sorted(folder.glob("*.json")):
        document = load_published(file)
        entries += [_number(item, document["source"]["short"]) for item in document["numbers"]
                    if item["unit"] in RATE_UNITS]
    if not entries:
        raise FileProblem(f"{folder}: no published numbers there")
    return Numbers(tuple(entries))


def _number(item: dict, short: str) -> Number:
    source = f"{item.get('source', short)}, section {item['section']}"
    return Number(item["value"], item["unit"], item["bound"], item["conditions"], source,
                  item.get("caveat", ""), item["device"], match_of(item))


def is_published(path: Path) -> bool:
    """Whether a folder holds published numbers: results cannot be taken for them."""
    for file in path.glob("*.json") if path.is_dir() else []:
        try:
            document = read_json(file)
        except (OSError, ValueError):
            continue
        if isinstance(document, dict) and "numbers" in document and "source" in document:
            return True
    return False
