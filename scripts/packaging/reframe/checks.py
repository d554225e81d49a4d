"""Quartet's programs as ReFrame's checks, one for each.

    reframe -C settings.py -c checks.py -r                      # on this machine; a site has its own settings
    reframe ... -S num_tasks=128 -S num_tasks_per_node=64 -S references=GOOD -S tolerance=0.05

A check is sane if its program succeeded and verified every row. Its performance variables are each row's
rate and fraction of the limit. `references` is a folder with earlier good documents, from kept outputs
(output/, quartet.json) or others with rows of the same names: a row may be below its rate and its fraction
there by the share `tolerance`. Rows that no document has are only recorded. `least_fraction` is checked for
every row, and needs no documents, since the limit was measured beside the row."""

import shlex
import sys
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_before, sanity_function, variable

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from quartet.commands.run import arguments_of  # noqa: E402
from quartet.exit_codes import UNAVAILABLE, VERIFIED  # noqa: E402
from quartet.kernels import KERNELS  # noqa: E402
from quartet.machine import Machine  # noqa: E402
from quartet.paths import PROGRAMS  # noqa: E402
from quartet.results import collect, load, rows_of  # noqa: E402

DOCUMENT = "quartet.json"
FRACTION = "fraction_of_limit"
SMALL = {"stream": "--sizes 2 --pushes 3", "matmul": "--size 1024 --tile 256", "cg": "--size 1001 --iterations 5",
         "fft": "--size 3600"}
ENOUGH = 2**40  # bytes: sizes are then the same on all machines


def label(row):
    """A row's name as part of a performance variable's name, in which a colon separates systems."""
    return row.text.replace(":", "=")


@rfm.simple_test
class QuartetCheck(rfm.RunOnlyRegressionTest):
    kernel = parameter([name for name in KERNELS if name in SMALL])
    programs = variable(str, value=str(PROGRAMS / "bin"))
    arguments = variable(str, value="")  # in place of those of `quartet run`
    small = variable(bool, value=False)  # small problems, to try it
    references = variable(str, value="")
    tolerance = variable(float, value=0.1)
    least_fraction = variable(float, value=0.0)

    descr = "a kernel beside the limit of the machine"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 2
    time_limit = "30m"
    sourcesdir = None
    keep_files = [DOCUMENT]

    @run_before("run")
    def set_command(self):
        words = shlex.split(self.arguments)
        if self.small:
            words = words or ["--device", "host", *SMALL[self.kernel].split()]
        words = words or arguments_of(self.kernel, Machine(self.num_tasks, ENOUGH), self.num_tasks)
        self.executable = str(Path(self.programs) / self.kernel)
        self.executable_opts = [*map(shlex.quote, words), "--progress", "off", "--force", "--json", DOCUMENT]
        self.postrun_cmds = ["echo exit code $?"]

    @sanity_function
    def is_verified(self):
        # A transport that this machine does not have gives a row without a rate, and exit code UNAVAILABLE.
        well = rf"^exit code ({VERIFIED}|{UNAVAILABLE})$"
        sn.evaluate(sn.assert_found(well, self.stdout, "the program failed: see the error output"))
        measured = self.measured()
        sn.evaluate(sn.assert_true(measured, "no row was measured"))
        wrong = [row.text for row in measured if row.verified is not True]
        return sn.assert_false(wrong, f"not verified: {', '.join(wrong)}")

    def measured(self):
        return [row for row in rows_of(load(Path(self.stagedir) / DOCUMENT)) if not row.error]

    @run_before("performance")
    def set_performance(self):
        found = {row.text: row for path, document in collect([self.references]).documents
                 for row in rows_of(document) if not row.error} if self.references else {}
        expected = {}
        for row in self.measured():
            known = found.get(row.text)
            self.add(f"{label(row)}/rate", row.rate, row.unit, known and known.rate, expected)
            self.add(f"{label(row)}/{FRACTION}", row.fraction_of_limit, "1", known and known.fraction_of_limit,
                     expected)
            if self.least_fraction:
                self.add(f"{label(row)}/least", row.fraction_of_limit, "1", self.least_fraction, expected, 0.0)
        self.reference = {"*": expected}

    def add(self, name, value, unit, known, expected, tolerance=None):
        """Adds a performance variable, and its reference value if there is one."""
        if value is None:
            return
        self.perf_variables[name] = sn.make_performance_function(lambda: value, unit)
        short = -self.tolerance if tolerance is None else -tolerance
        expected[name] = (known, short, None, unit) if known else (0, None, None, unit)
