"""Makes a sweep's results the reference for the device that they were measured on.

Each configuration needs at least three launches. The middle one is taken: the document whose
geometric mean of rates is the median. Nothing is averaged or edited, so each document in
results/measured/DEVICE/ holds its own provenance. An older reference of the device is replaced."""

import argparse
import math
import re
from pathlib import Path
from typing import Any

from quartet.exit_codes import VERIFIED, ScriptError
from quartet.files import make_folder, read_text, write_text
from quartet.paths import SHIPPED
from quartet.results import cases, collect, device
from quartet.text import say, slug

EXAMPLE = "quartet reference results/runs/laptop-cg"
MEASURED = SHIPPED / "measured"
LEAST_LAUNCHES = 3  # a middle one is neither the best nor the worst


def middle_of(documents: list[tuple[Path, dict[str, Any]]]) -> Path:
    """The launch in the middle; of an even number the slower one."""
    def mean(document: dict[str, Any]) -> float:
        rates = [case.rate for case in cases(document) if not case.error]
        return sum(map(math.log, rates)) / len(rates)

    ordered = sorted(documents, key=lambda item: mean(item[1]))
    return ordered[(len(ordered) - 1) // 2][0]


def _check(path: Path, document: dict[str, Any]) -> None:
    for case in cases(document):
        if case.error or case.verified is not True:
            raise ScriptError(f"{path}: {case.text} {'failed' if case.error else 'is not verified'} (a "
                          "reference is right): measure it again")
        if case.is_suspicious:
            say(f"{case.text}: {case.fraction_of_limit:.0%} of its limit: no comparison will use it")


def choose(folder: Path) -> tuple[str, dict[str, Path]]:
    """The device, and by configuration the document to take. Raises ScriptError."""
    found = collect([folder])
    configurations: dict[str, list[tuple[Path, dict[str, Any]]]] = {}
    for path, document in found.documents:
        _check(path, document)
        name = re.sub(r"-launch\d+$", "", path.stem)
        configurations.setdefault(name, []).append((path, document))
    few = [name for name, members in configurations.items() if len(members) < LEAST_LAUNCHES]
    devices = {device(document) for _, document in found.documents}
    if found.skipped or not configurations:
        raise ScriptError(found.skipped[0] if found.skipped else f"{folder}: no results there")
    if few:
        raise ScriptError(f"{few[0]}: fewer than {LEAST_LAUNCHES} launches (none is in the middle): "
                      f"quartet sweep --launches {LEAST_LAUNCHES}")
    if len(devices) > 1:
        raise ScriptError(f"{folder}: several devices ({'; '.join(sorted(devices))}): one at a time")
    return devices.pop(), {name: middle_of(members) for name, members in configurations.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder of a sweep")
    parser.add_argument("--measured", type=Path, default=MEASURED,
                        help="where references are (%(default)s)")


def run(options: argparse.Namespace) -> int:
    name, chosen = choose(options.folder)
    target = options.measured / slug(name)
    make_folder(target)
    for old in target.glob("*.json"):
        old.unlink()
    for configuration, path in chosen.items():
        write_text(target / f"{configuration}.json", read_text(path))
    print(f"{target}: {len(chosen)} documents of {name}")
    return VERIFIED
