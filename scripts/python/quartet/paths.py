"""Paths of the suite: in the repository, or below the prefix of `cmake --install` or pip."""

import os
import sys
from pathlib import Path

PARENT = Path(__file__).resolve().parents[2]  # scripts/, unless pip has installed the package elsewhere
SCRIPTS = PARENT if (PARENT / "launch.sh").is_file() else Path(sys.prefix, "share/quartet/scripts")
ROOT = SCRIPTS.parent
IS_INSTALLED = not (ROOT / "CMakeLists.txt").is_file()
SHIPPED = ROOT if IS_INSTALLED else ROOT / "results"  # published numbers, references, schemas
RESULTS = Path("quartet-results") if IS_INSTALLED else ROOT / "results"  # what scripts write
PROGRAMS = ROOT.parents[1] if IS_INSTALLED else ROOT / "build" / "host-release"  # in its bin/
LAUNCHER = SCRIPTS / "launch.sh"
SLURM = SCRIPTS / "slurm"
MACHINES = SLURM / "machines"
SWEEPS = SCRIPTS / "sweeps"


def version() -> str:
    return (ROOT / "VERSION").read_text(encoding="utf-8").strip()


def given_or_measured(paths: list[Path]) -> list[Path]:
    """The paths; if there are none, the documents of this copy's own runs, else the shipped ones."""
    own = RESULTS / "runs"
    return paths or [own if own.exists() else SHIPPED / "measured"]


def given_or_shipped(file: Path, folder: Path) -> Path:
    """The file; if it does not exist, the file of that name in the folder, with .json or without."""
    if file.name != str(file) or os.path.exists(file):  # which is false of a name that is too long
        return file
    named = folder / file.name
    return next((path for path in (named, named.with_name(f"{file.name}.json")) if os.path.isfile(path)), file)
