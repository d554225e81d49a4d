"""Fake programs and other interpreters, which tests start, find the same packages as the tests."""

import os

from tree import ROOT

os.environ["PYTHONPATH"] = os.pathsep.join(str(ROOT / folder) for folder in ("scripts/python", "tests/python"))
