"""Published numbers as one side of a comparison."""

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.documents import load_published
from quartet.files import FileProblem, read_json
from quartet.results import RATE_UNITS, Name


@dataclass(frozen=True)
class Number:
    value: float
    unit: str
    bound: str  # whether what was measured lies "above", "below" or "about" the value
    conditions: str
    source: str
    caveat: str
    match: tuple[tuple[str, str], ...]  # factors that a result has where the number fits it


@dataclass(frozen=True)
class Numbers:
    """Rates only: a speed-up is of two results, and sweep.py shows ours."""

    entries: tuple[Number, ...]

    def nearest(self, name: Name, workers: int, nodes: int, unit: str) -> Optional[Number]:
        """By the rule in the schema of published numbers, which the programs follow, too: every key
        that both know is equal; of several the one with most such keys, the first of equals."""
        known = {"kernel": name.kernel, "device": name.device, "transport": name.transport,
                 "workers": str(workers), "nodes": str(nodes), **name.values}
        best, most = None, -1
        for number in self.entries:
            keys = [key for key, _ in number.match if key in known]
            fits = number.unit == unit and all(known[key] == value for key, value in number.match
                                               if key in known)
            if fits and len(keys) > most:
                best, most = number, len(keys)
        return best


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
    match = tuple({"kernel": item["kernel"], **item["match"]}.items())
    return Number(item["value"], item["unit"], item["bound"], item["conditions"], source,
                  item.get("caveat", ""), match)


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
