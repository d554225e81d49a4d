"""Runs a command without a new interpreter: in this process, hundreds of times in the time that one takes, or in a
copy of it, as another process would."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from unittest import mock

from quartet.__main__ import main
from quartet.__main__ import run as run_command
from quartet.command_line import exit_code_of
from quartet.exit_codes import FAILED

FAULT = "a fault of quartet"  # how a failure is said that nobody has thought of


def run(command, *arguments):
    """Exit code, output and errors of a command's module."""
    words = [command.__name__.rpartition(".")[2].replace("_", "-"), *map(str, arguments)]
    output, errors = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", ["quartet", *words]), \
            contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = exit_code_of(lambda: run_command(words))
    return code, output.getvalue(), errors.getvalue()


def quartet(*words, cwd=None, env=None):
    """`quartet WORDS...` in a copy of this process: what it starts, changes and writes is its own."""
    words = [os.fspath(word) for word in words]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if not child:
            _become(words, (os.open(os.devnull, os.O_RDONLY), output.fileno(), errors.fileno()), cwd, env)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(words, code, *texts)


def _become(words, files, cwd, env):
    """Never returns: nothing of the test that was copied may run on."""
    code = FAILED
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
        os.chdir(cwd or os.curdir)
        if env is not None:
            os.environ.clear()
            os.environ.update(env)
        sys.argv = ["quartet", *words]
        main()
    except SystemExit as end:
        code = end.code
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)
