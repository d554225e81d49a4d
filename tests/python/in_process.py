"""Runs a command in this process: hundreds of times in the time that one interpreter takes."""

import contextlib
import io
import sys
from unittest import mock

from quartet.__main__ import run as run_command
from quartet.command_line import exit_code_of

FAULT = "a fault of quartet"  # how a failure is said that nobody has thought of


def run(command, *arguments):
    """Exit code, output and errors of a command's module."""
    words = [command.__name__.rpartition(".")[2].replace("_", "-"), *map(str, arguments)]
    output, errors = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", ["quartet", *words]), \
            contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = exit_code_of(lambda: run_command(words))
    return code, output.getvalue(), errors.getvalue()
