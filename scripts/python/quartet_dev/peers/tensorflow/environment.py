"""The virtual environment that has TensorFlow, which scripts/setup.sh tensorflow makes."""

import os
import shutil
import subprocess
from pathlib import Path

from quartet.paths import ROOT

FOLDER = Path(os.environ.get("QUARTET_TENSORFLOW") or ROOT / "build" / "tensorflow")
PYTHON = FOLDER / "bin" / "python"
SECONDS_TO_ANSWER = 120


def why_not(python: Path) -> str:
    """The reason why no program of TensorFlow's runs by this Python; empty if one does."""
    if not shutil.which(python):
        return (f"there is no {python}: install TensorFlow (scripts/setup.sh tensorflow), or name a Python "
                "that has it (--python)")
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tensorflow') is None)"
    try:
        code = subprocess.run([str(python), "-c", look], timeout=SECONDS_TO_ANSWER,
                              stdin=subprocess.DEVNULL, capture_output=True).returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{python} does not run ({error}): name another --python"
    return "" if code == 0 else f"{python} has no module tensorflow: name another --python"
