"""Where things are in the repository."""

from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
ROOT = SCRIPTS.parent
RESULTS = ROOT / "results"
LAUNCHER = SCRIPTS / "launch.sh"
SLURM = SCRIPTS / "slurm"
