"""What others measured on other machines: a list for orientation, in no ratio with ours."""

from collections.abc import Sequence
from typing import Any

from quartet.results import load_published
from quartet.results.published import FOLDER, Number
from quartet.text import rate

from .cases import Result
from .factors import by_kernel
from .sections import Section, Table

HEADING = ("kernel", "device", "what", "rate", "a device", "of peak", "conditions", "source")


def section(results: list[Result], numbers: Sequence[Number]) -> Section:
    """Shows, for each kernel and kind of device here, other work and the paper's numbers that fit none of
    ours."""
    rows = []
    for kernel, is_gpu in dict.fromkeys((result.name.kernel, result.name.device == "cuda")
                                        for result in sorted(results, key=by_kernel)):
        rows += [_row(kernel, item) for item in neighbours(kernel, is_gpu)]
    rows += [(number.kernel, number.device, "as published", number.text, "", "", number.conditions,
              number.source) for number in numbers if _is_alone(number, results)]
    return Section(
        "orientation", "For orientation",
        "What others reached on other machines, or under other conditions than here. Compare it by the "
        "share of the peak, if at all.",
        tables=[Table(HEADING, rows, frozenset({"rate", "a device", "of peak"}))] if rows else [],
        missing="Nothing is published of these kernels.")


def neighbours(kernel: str, on_gpu: bool) -> list[dict[str, Any]]:
    """What is published of a kernel on a kind of device."""
    try:
        document = load_published(FOLDER / f"{kernel}.json")
    except FileNotFoundError:
        return []
    return [item for item in document.get("orientation", []) if item["memory"] == ("device" if on_gpu else "host")]


def _is_alone(number: Number, results: list[Result]) -> bool:
    """True if it is a rate of a kernel that was run here, and fits none of ours."""
    return number.unit != "speed-up" and any(
        result.name.kernel == number.kernel for result in results) and not any(
        number.fits(result) for result in results)


def _row(kernel: str, item: dict[str, Any]) -> tuple[str, ...]:
    share = f"{item['value'] / item['peak']:.0%}" if "peak" in item else ""
    conditions = ". ".join(filter(None, [item["conditions"], item.get("caveat", "")]))
    return (kernel, item["device"], item["benchmark"], f"{rate(item['value'])} {item['unit']}",
            rate(item["value"] / item["devices"]), share, conditions,
            f"{item['source']}: {item['url'].split('://')[-1]}")
