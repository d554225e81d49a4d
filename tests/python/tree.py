"""Where the tree is, and how tests call the command."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
QUARTET = (sys.executable, SCRIPTS / "python")  # as scripts/quartet calls it
