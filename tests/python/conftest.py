"""What other interpreters, which tests start by the hundred, find: our packages, compiled once and outside the tree."""

import atexit
import os
import tempfile

from tree import ROOT

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit these
    compiled = tempfile.TemporaryDirectory(prefix="quartet-tests-")
    atexit.register(compiled.cleanup)
    os.environ["PYTHONPYCACHEPREFIX"] = compiled.name
    os.environ["PYTHONPATH"] = os.pathsep.join(str(ROOT / folder) for folder in ("scripts/python", "tests/python"))
    # Else they would compile Python's own library each time, too.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
