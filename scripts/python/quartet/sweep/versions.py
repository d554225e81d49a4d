"""Which build a sweep belongs to."""

import subprocess
from pathlib import Path

from quartet.files import reason_of
from quartet.sweep.spec import SpecError
from quartet.terminal import printable

SECONDS = 60  # that a program may take to say its version


def version_of(program: Path) -> str:
    """A program's own version line. Raises SpecError."""
    try:
        done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True, errors="replace", check=True, timeout=SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        why = reason_of(error) if isinstance(error, OSError) else error
        raise SpecError(f"{program} cannot be run ({why}): build it first (make build)") from None
    return printable(done.stdout.strip())
