"""Published numbers of other work on current machines, in a list of their own: per device and by the
devices' peak. Nothing of it is in a ratio with ours."""

from pathlib import Path
from typing import Any

from quartet.paths import SHIPPED
from quartet.results import Case, load_published
from quartet.tables.cells import aligned_rows
from quartet.text import counted, rate, wrapped

FOLDER = SHIPPED / "published"
HEADINGS = ("device", "what", "rate", "a device", "peak")
LEFT_ALIGNED = (0, 1)


def neighbours(kernel: str, on_gpu: bool, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """The neighbours of a kernel and a kind of device; none if nothing is published of it. Raises ValueError."""
    try:
        document = load_published(folder / f"{kernel}.json")
    except FileNotFoundError:
        return []
    memory = "device" if on_gpu else "host"
    return [item for item in document.get("orientation", []) if item["memory"] == memory]


def render(all_cases: list[Case], folder: Path = FOLDER) -> str:
    """A table for each kernel and kind of device that was measured, ours in the first line."""
    best: dict[tuple[str, bool], Case] = {}
    for case in all_cases:
        if not case.error and not case.mark and not case.name.math:  # others have float32
            key = (case.name.kernel, case.name.device == "cuda")
            if key not in best or case.rate > best[key].rate:
                best[key] = case
    lines: list[str] = []
    for (kernel, on_gpu), case in best.items():
        items = neighbours(kernel, on_gpu, folder)
        if items:
            lines += _table(kernel, case, items)
    return "\n".join(lines) + "\n" if lines else ""


def _ours(case: Case, unit: str) -> tuple[str, ...]:
    value = case.median["bytes"] / case.seconds / 1e9 if unit == "GB/s" else case.rate
    workers = max(case.workers, 1)
    return ("ours", f"{case.name.formulation} on {counted(workers, 'worker')}", f"{rate(value)} {unit}",
            rate(value / workers), "")


def _table(kernel: str, case: Case, items: list[dict[str, Any]]) -> list[str]:
    unit = items[0]["unit"]
    rows = [HEADINGS, _ours(case, unit),
            *((item["device"], item["benchmark"], f"{rate(item['value'])} {item['unit']}",
               rate(item["value"] / item["devices"]),
               f"{item['value'] / item['peak']:.0%}" if "peak" in item else "") for item in items)]
    title = wrapped("", f"{kernel}, for orientation: other work on other machines; ours on {case.machine}")
    notes = [line for item in items for line in wrapped(
        "", f"{item['device']}: {item['conditions']}"
        + (f". Note: {item['caveat']}" if item.get("caveat") else ""))]
    sources = dict.fromkeys(line for item in items for line in wrapped("", f"{item['source']}: {item['url']}"))
    return ["", *title, *aligned_rows(rows, LEFT_ALIGNED), *notes, *sources]
