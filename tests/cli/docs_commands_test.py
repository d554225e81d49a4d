"""The commands in the code blocks of README.md and docs/*.md, run as they are printed: each page in a copy of the
checkout of its own, in the page's order. What cannot run here stands in NOT_HERE with its reason.

QUARTET_SHOW=1 shows what they print."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from quartet.processes import kill_session
from quartet_cli import PROGRAMS, PYTHON_WITH_NUMPY
from tree import ROOT

MOST_SECONDS = 60  # a newcomer's patience
FIRST_WORDS = ("scripts/", "make", "cmake", "git", "module", "cp", "salloc", "sbatch", "squeue", "podman")
COPIED = ("scripts", "results", "docs", "CMakeLists.txt", "VERSION")
SLOWER, UNDECIDED, CUT_SHORT, UNAVAILABLE = 1, 4, 75, 77

# Without which a command of a page has nothing to read: what its reader has by then.
GIVEN = {
    "README.md": """cp results/measured/intel*/016-stream*.json pair.json""",
    "docs/cluster.md": """mkdir results/runs && cp results/measured/intel*/*-cg-*.json results/runs/""",
    "docs/prediction.md": """cp scripts/slurm/machines/fat-tree-cpu-example.json mine.json
mkdir results/runs one_node && cp results/measured/intel*/*-fft-*.json results/runs/
cp results/measured/intel*/*-cg-*.json one_node/
cp results/measured/intel*/016-stream*.json short.json
cp results/measured/intel*/021-stream*.json long.json""",
}

COMPILES = "compiles for minutes: make test is that"
MINUTES = "measures for minutes by its purpose"
SLURM = "needs a Slurm: tests/lab has one"
GPU = "needs a GPU"
INSTALLS = "installs packages"
# Page, how the command begins, why it is not run here.
NOT_HERE = (
    ("README.md", "git clone", "the address is the reader's"),
    ("README.md", "make run", COMPILES),
    ("README.md", "make test", "is what runs this"),
    ("README.md", "module load", "a cluster has modules"),
    ("README.md", "salloc", SLURM),
    ("docs/adding-to-it.md", "make build", COMPILES),
    ("docs/cluster.md", "git clone", "the address is the reader's"),
    ("docs/cluster.md", "module load", "a cluster has modules"),
    ("docs/cluster.md", "scripts/setup.sh run", INSTALLS),
    ("docs/cluster.md", "cmake --preset", COMPILES),
    ("docs/cluster.md", "cmake --build", COMPILES),
    ("docs/cluster.md", "cmake --install", "cli_install does"),
    ("docs/cluster.md", "scripts/quartet machine", SLURM),
    ("docs/cluster.md", "scripts/quartet submit", SLURM),
    ("docs/cluster.md", "sbatch", SLURM),
    ("docs/cluster.md", "salloc", SLURM),
    ("docs/cluster.md", "scripts/quartet start", SLURM),
    ("docs/cluster.md", "scripts/quartet launch 2 stream", SLURM),
    ("docs/cluster.md", "scripts/quartet sweep", SLURM),
    ("docs/cluster.md", "scripts/quartet nodes", SLURM),
    ("docs/cluster.md", "squeue", SLURM),
    ("docs/command-line.md", "scripts/quartet launch 6 matmul", GPU),
    ("docs/gpu.md", "scripts/quartet gpu", GPU),
    ("docs/gpu.md", "scripts/quartet launch 1 build/gpu/bin/matmul", GPU),
    ("docs/history.md", "scripts/quartet history", "needs documents of many days: python_tests has it"),
    ("docs/peers.md", "scripts/setup.sh tensorflow", INSTALLS),
    ("docs/peers.md", "scripts/quartet peers", "needs TensorFlow, 1.5 GB"),
    ("docs/peers.md", "scripts/quartet table results/peers", "needs TensorFlow's documents"),
    ("docs/prediction.md", "salloc", SLURM),
    ("docs/reading-the-numbers.md", "import pandas", "needs pandas, which nothing else here does"),
    ("docs/sweeps-and-comparison.md", "scripts/quartet sweep scripts/sweeps/paper-cg.json", GPU),
    ("docs/sweeps-and-comparison.md", "make build", COMPILES),
    ("docs/sweeps-and-comparison.md", "scripts/quartet limits", MINUTES),
)


@dataclass(frozen=True)
class Command:
    page: str
    text: str  # with its comment
    is_python: bool = False

    @property
    def cores(self):
        """How many it needs, by its comment: nobody has to have more than two."""
        found = re.search(r"# needs (three|four) cores", self.text)
        return {"three": 3, "four": 4}[found[1]] if found else 2

    @property
    def codes(self):
        """How it may end: as its page says; a comparison in any way but a failure, and a sweep by its budget."""
        also = {"compare": (UNDECIDED, SLOWER), "--budget": (CUT_SHORT,)}
        words = self.text.split("#")[0].split()
        return {0, *(code for word, codes in also.items() if word in words for code in codes)}

    @property
    def why_not(self):
        return next((reason for page, begin, reason in NOT_HERE
                     if page == self.page and self.text.startswith(begin)), "")


def pages():
    return ["README.md", *sorted(f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md"))]


def commands(page):
    """In their order. A block that holds a command of a shell holds nothing else."""
    found = []
    text = (ROOT / page).read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if language == "python":
            found.append(Command(page, block, is_python=True))
        elif language in ("", "sh") and block.startswith(FIRST_WORDS):
            lines = block.replace("\\\n", "").splitlines()
            found += [Command(page, line) for line in lines if not line.startswith("#")]
    return found


class Pages(unittest.TestCase):
    def run_here(self, folder, text, command):
        words = [PYTHON_WITH_NUMPY, "-c", text] if command.is_python else ["bash", "-ec", text]
        begin = time.monotonic()
        job = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, start_new_session=True,
                               env={**os.environ, "TMPDIR": str(folder.parent), "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                                    "QUARTET_PYTHON": PYTHON_WITH_NUMPY or sys.executable})
        try:
            output = job.communicate(timeout=MOST_SECONDS)[0]
        except subprocess.TimeoutExpired:
            kill_session(job.pid)
            output = job.communicate()[0]
            self.fail(f"{command.page}: took more than {MOST_SECONDS} s: {text}\n{output}")
        print(f"{time.monotonic() - begin:5.1f} s  {command.page}: {text.splitlines()[0]}", file=sys.stderr)
        if os.environ.get("QUARTET_SHOW"):
            print(output, file=sys.stderr)
        return job.returncode, output

    def try_page(self, page):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "quartet"
            checkout(folder)
            given = GIVEN.get(page)
            if given:
                code, output = self.run_here(folder, given, Command(page, given))
                self.assertEqual(code, 0, output)
            for command in commands(page):
                if command.why_not:
                    continue
                with self.subTest(page, command=command.text):
                    if command.is_python and not PYTHON_WITH_NUMPY:
                        self.skipTest("no NumPy")
                    code, output = self.run_here(folder, command.text, command)
                    if code == UNAVAILABLE and "no matplotlib" in output:
                        self.skipTest("no matplotlib")
                    self.assertIn(code, command.codes, output)
                    self.assert_crowded_only_where_said(command, output)

    def assert_crowded_only_where_said(self, command, output):
        """Where the command itself starts more threads than cores, its comment and its output say so."""
        there, output = len(os.sched_getaffinity(0)), " ".join(output.split())
        if there >= command.cores:
            self.assertNotIn("threads share", output, command.text)
        elif there >= 2:
            self.assertIn("threads share", output, command.text)

    def test_what_cannot_run_here_is_still_there(self):
        there = [(command.page, command.text) for page in pages() for command in commands(page)]
        for page, begin, reason in NOT_HERE:
            self.assertTrue(any(page == each and text.startswith(begin) for each, text in there),
                            f"{page} has no {begin!r} any more ({reason})")


def checkout(folder):
    """What the commands need of a checkout, with this build's programs."""
    folder.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, symlinks=True,
                            ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache"))
        else:
            shutil.copy(source, folder / name)
    for own in ("runs", "report"):
        shutil.rmtree(folder / "results" / own, ignore_errors=True)
    (folder / "build" / "host-release").mkdir(parents=True)
    (folder / "build" / "host-release" / "bin").symlink_to(PROGRAMS)


def _test_of(page):
    return lambda self: self.try_page(page)


for _page in pages():
    if any(not command.why_not for command in commands(_page)):
        setattr(Pages, f"test_{re.sub('[^a-z]+', '_', _page.lower())}", _test_of(_page))


if __name__ == "__main__":
    unittest.main(verbosity=2)
