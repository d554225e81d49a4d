"""What other interpreters, which tests start by the hundred, find: our packages, compiled once and outside the tree."""

import os
import tempfile

from tree import ROOT

compiled = tempfile.TemporaryDirectory(prefix="quartet-tests-")
os.environ["PYTHONPYCACHEPREFIX"] = compiled.name
os.environ["PYTHONPATH"] = os.pathsep.join(str(ROOT / folder) for folder in ("scripts/python", "tests/python"))
