"""Runs a script's main in this process: hundreds of times in the time that one interpreter takes."""

import contextlib
import io
import sys
from pathlib import Path
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from quartet.command_line import exit_code_of  # noqa: E402

FAULT = "a fault of this script"  # how a failure is said that nobody has thought of


def run(script, *arguments):
    """Exit code, output and errors."""
    output, errors = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", [script.__name__, *map(str, arguments)]), \
            contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = exit_code_of(script.main)
    return code, output.getvalue(), errors.getvalue()
