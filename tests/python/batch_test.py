"""Tests of scripts/slurm/batch.sh and array.sbatch, and of what sweeps hand to them, with a fake srun."""

import os
import signal
import subprocess
import time

from fake_build import Scratch
from quartet.kernels import KERNELS
from quartet.slurm import launcher
from tree import SCRIPTS

LIMIT = 20  # seconds
HOSTILE = ("line1\n\t$(touch pwned1); touch pwned2; #", "$(touch pwned3)", "`touch pwned4`", "a b", "",
           "'\"*", "tab\tand\\n", "-n", "\udcff")
# Leaves its arguments but for its own flags, a zero byte after each; waits where it is told to.
SRUN = """#!/bin/bash
while [[ $1 == --* ]]; do echo "$1"; shift; done >"$FOLDER/flags"
printf '%s\\0' "$@" >"$FOLDER/arguments"
for name in USR1 TERM INT HUP; do
    trap "echo $name >>'$FOLDER/signals'; exit 75" $name
done
[ -e "$FOLDER/sleep" ] && { echo >"$FOLDER/started"; for _ in {1..200}; do sleep 0.1; done; }
exit 0
"""


class BatchCase(Scratch):
    def setUp(self):
        super().setUp()
        for name, text in (("srun", SRUN), ("scontrol", "#!/bin/sh\necho \"$@\" >\"$FOLDER/requeued\"\nexit 1\n")):
            self.write(name, text)
        self.variables = {"PATH": self.environment()["PATH"], "FOLDER": str(self.folder),
                          "SLURM_JOB_ID": "1", "QUARTET_ROOT": str(SCRIPTS.parent)}

    def arguments(self):
        words = (self.folder / "arguments").read_bytes().split(b"\0")[:-1]
        return [os.fsdecode(word) for word in words]

    def batch(self, *arguments, **variables):
        done = subprocess.run([SCRIPTS / "slurm" / "batch.sh", *arguments], cwd=self.folder, check=False,
                              env={**self.variables, **variables}, capture_output=True, timeout=LIMIT)
        words = self.arguments()
        if words[:1] == ["cg"]:
            self.assertEqual(words.pop(1), "--threads=1")
        return done.returncode, words


class Tasks(BatchCase):
    def tasks(self, *jobs):
        """The folder of an array's tasks, as a sweep writes it."""
        folder = self.folder / "array-1.tasks"
        launcher._write_tasks([{f"task{index}": ("/bin/echo", *job)} for index, job in enumerate(jobs)], folder)
        return folder

    def run_task(self, folder, index=0, **how):
        return subprocess.run(["bash", SCRIPTS / "slurm" / "array.sbatch", f"--root={SCRIPTS.parent}", folder],
                              cwd=self.folder, timeout=LIMIT, check=False,
                              env={**self.variables, "SLURM_ARRAY_TASK_ID": str(index)}, **how)

    def test_arguments_reach_the_program_unharmed_and_no_shell_reads_them(self):
        folder = self.tasks(HOSTILE, ("second",))
        for index, words in ((0, HOSTILE), (1, ("second",))):
            self.assertEqual(self.run_task(folder, index).returncode, 0)
            self.assertEqual(self.arguments(), ["/bin/echo", *words])
            self.assertRegex((self.folder / f"task{index}.code").read_text(), r"^0 \d+\n$")
        self.assertEqual(list(self.folder.glob("pwned*")), [])

    def test_a_file_that_is_no_task_is_refused(self):
        folder = self.folder / "tasks"
        folder.mkdir()
        for text in (b"", b"\0001\0/bin/echo\0", b"../x\0001\0/bin/echo\0", b".hidden\0001\0/bin/echo\0",
                     b"name\0/bin/echo\0", b"name\0001;2\0/bin/echo\0", b"name\0", b"name\0003\0/bin/echo\0"):
            (folder / "0").write_bytes(text)
            self.assertEqual(self.run_task(folder).returncode, 2, text)
            self.assertFalse((self.folder / "arguments").exists())

    def test_launches_of_a_task_follow_each_other_and_those_that_ended_are_not_repeated(self):
        folder = self.folder / "array-1.tasks"
        launcher._write_tasks([{"one": ("/bin/echo", "1"), "two": ("/bin/echo", "2"), "three": ("/bin/echo", "3"),
                                "four": ("--ranks=2", "--nodes=1", "/bin/echo", "4")}], folder)
        (self.folder / "one.outcome").touch()
        (self.folder / "three.code").write_text("0 7\n")
        self.assertEqual(self.run_task(folder).returncode, 0)
        self.assertFalse((self.folder / "one.code").exists())
        self.assertRegex((self.folder / "two.code").read_text(), r"^0 \d+\n$")
        self.assertEqual((self.folder / "three.code").read_text(), "0 7\n")
        self.assertEqual(self.arguments(), ["/bin/echo", "4"])
        flags = (self.folder / "flags").read_text().split()
        self.assertIn("--ntasks=2", flags)
        self.assertIn("--exact", flags)

    def test_a_task_that_is_ended_starts_nothing_more(self):
        folder = self.folder / "array-1.tasks"
        launcher._write_tasks([{"one": ("/bin/echo", "1"), "two": ("/bin/echo", "2")}], folder)
        (self.folder / "sleep").touch()
        with subprocess.Popen(["bash", SCRIPTS / "slurm" / "array.sbatch", f"--root={SCRIPTS.parent}", folder],
                              env={**self.variables, "SLURM_ARRAY_TASK_ID": "0"}) as process:
            self.wait_for((self.folder / "started").exists)
            process.terminate()
            self.assertEqual(process.wait(LIMIT), 75)
        self.assertEqual((self.folder / "signals").read_text().split(), ["TERM"])
        self.assertFalse((self.folder / "two.log").exists())


class Starting(BatchCase):
    """start.sh and its launchers."""

    def setUp(self):
        super().setUp()
        for name in ("mpirun", "mpiexec"):
            self.write(name, '#!/bin/sh\nprintf "%s\\n" "$@" >"$FOLDER/words"\nenv >"$FOLDER/variables"\n')

    def start(self, *words, **variables):
        done = subprocess.run([SCRIPTS / "slurm" / "start.sh", *words], cwd=self.folder, check=False, text=True,
                              env={**self.variables, "SLURM_JOB_NUM_NODES": "3", **variables}, capture_output=True,
                              timeout=LIMIT)
        return done, " ".join(self.lines("words"))

    def variable(self, name):
        return next((line.partition("=")[2] for line in self.lines("variables") if line.startswith(f"{name}=")), None)

    def test_each_launcher_is_told_where_the_ranks_go(self):
        step = ("--hosts=a,b", "--threads=2", "--seconds=61", "3", "program", "x y")
        self.assertEqual(self.start("--launcher=mpirun", *step)[1], "-n 3 --host a:2,b:2 --timeout 61 program x y")
        self.assertEqual(self.variable("OMPI_MCA_rmaps_base_mapping_policy"), "slot:PE=2")
        self.assertEqual(self.variable("OMP_NUM_THREADS"), "2")
        self.assertEqual(self.start("--launcher=mpiexec", *step)[1], "-n 3 -ppn 2 -hosts a,b program x y")
        self.assertEqual(self.variable("MPIEXEC_TIMEOUT"), "61")
        self.assertEqual(self.start(*step)[0].returncode, 0)
        flags = (self.folder / "flags").read_text().split()
        for flag in ("--ntasks=3", "--nodes=2", "--ntasks-per-node=2", "--nodelist=a,b", "--time=2", "--exact"):
            self.assertIn(flag, flags)
        self.assertEqual(self.start("--launcher=mpiexec", "program", SLURM_NTASKS="4")[1], "-n 4 program")
        for ranks, said in (("64", "start.sh: 64 ranks, but the job has 4 tasks, which Open MPI takes for its slots"), ("4", "")):
            done, words = self.start("--launcher=mpirun", "--hosts=a,b", ranks, "program", SLURM_NTASKS="4")
            self.assertEqual((done.returncode, words[:5].strip(), said in done.stderr), (0, f"-n {ranks}", True), done)
            self.assertEqual(done.stderr.count("\n"), bool(said))

    def test_our_programs_get_as_many_threads_as_their_ranks_have_cores_also_where_nothing_is_bound(self):
        (self.folder / "a.toml").write_text("runs = 1\n")
        (self.folder / "b.toml").write_text("threads = 2\n")
        for words, added in (*(((f"./bin/{kernel}", "--config", "a.toml"), 1) for kernel in KERNELS), (("cg",), 1),
                             (("cg", "--threads", "2"), 0), (("cg", "--threads=2"), 0), (("hostname", "-s"), 0),
                             (("cg", "--config", "b.toml"), 0), (("cg", "--config=b.toml"), 0)):
            self.start(*words, SLURM_CPUS_PER_TASK="4")
            self.assertEqual(self.arguments(), [words[0], *["--threads=4"] * added, *words[1:]])

    def test_planes_are_dealt_in_turn(self):
        for ranks, nodes, size, most in ((6, 2, 2, 4), (6, 3, 2, 2), (7, 2, 2, 4), (5, 2, 1, 3), (8, 2, 3, 5)):
            step = (f"--nodes={nodes}", f"--distribution=plane={size}", str(ranks), "program")
            self.assertEqual(self.start(*step)[0].returncode, 0)
            flags = (self.folder / "flags").read_text().split()
            self.assertIn(f"--distribution=plane={size}", flags)
            self.assertIn(f"--ntasks-per-node={most}", flags)
        step = ("--hosts=a,b", "--distribution=plane=2", "6", "program")
        self.assertEqual(self.start("--launcher=mpiexec", *step)[1], "-n 6 -ppn 2 -hosts a,b program")
        step = ("--hosts=a,b", "--distribution=cyclic", "6", "program")
        self.assertEqual(self.start("--launcher=mpiexec", *step)[1], "-n 6 -ppn 1 -hosts a,b program")

    def test_distributions_that_there_are_not_are_refused(self):
        for words, reason in ((("--distribution=plane=0",), "plane has a number"),
                              (("--distribution=plane=two",), "plane has a number"),
                              (("--distribution=planes",), "not block, cyclic or plane=N"),
                              (("--launcher=mpirun", "--distribution=plane=2"), "with mpirun")):
            done, _ = self.start(*words, "program")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)
            self.assertIn(reason, done.stderr)
        done, _ = self.start("--launcher=mpirun", "program", SLURM_DISTRIBUTION="plane=2")
        self.assertEqual(done.returncode, 2, done)

    def test_settings_come_as_arguments(self):
        done, _ = self.start("--launcher=mpirun", "--prepare=export WORD='a b'", '--prepare=[ $# = 0 ]',
                             "--set=OTHER=c d", "program", SLURM_EXPORT_ENV="NONE")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.variable("WORD"), self.variable("OTHER"), self.variable("SLURM_EXPORT_ENV")),
                         ("a b", "c d", "ALL"))
        self.start("--cpu-bind=cores", "program")
        self.assertIn("--cpu-bind=cores", (self.folder / "flags").read_text())

    def test_what_cannot_be_is_refused_in_a_line(self):
        for words, reason in ((("--prepare=false", "program"), "'false' failed"), (("--colour=red", "program"), "no option"),
                              (("--set=1=2", "program"), "no option"), (("--nodes=x", "program"), "'x' is no number"),
                              (("--nodes=4", "4", "program"), "the job has 3"), ((), "no program"), (("4",), "no program"),
                              (("--launcher=aprun", "program"), "aprun")):
            done, _ = self.start(*words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (words, done.stderr))
            self.assertIn(reason, done.stderr)


class Restarts(BatchCase):
    WAYS = (("--checkpoint", "ck [1]"), ("--checkpoint=ck [1]",), ("--config", "a.toml"), ("--config=a.toml",))

    def setUp(self):
        super().setUp()
        (self.folder / "a.toml").write_text("runs = 1\ncheckpoint = \"ck [1]\"  # kept\n")

    def test_a_requeued_job_goes_on_however_its_checkpoints_are_named(self):
        (self.folder / "ck [1]" / "iteration-5").mkdir(parents=True)
        for way in self.WAYS:
            with self.subTest(way):
                self.assertEqual(self.batch("cg", *way), (0, ["cg", *way]))
                self.assertEqual(self.batch("cg", *way, SLURM_RESTART_COUNT="1"),
                                 (0, ["cg", *way, "--force", "--restart"]))
        already = ("--checkpoint=ck [1]", "--restart=previous")
        self.assertEqual(self.batch("cg", *already, SLURM_RESTART_COUNT="1")[1], ["cg", *already, "--force"])

    def test_a_config_files_values_are_read_as_they_are_quoted(self):
        for folder in ("a#1", "it's", "plain"):
            (self.folder / folder / "iteration-5").mkdir(parents=True)
        for text, restarts in (('checkpoint = "it\'s"', True), ("checkpoint='a#1'", True),
                               ("checkpoint = plain # two\nrestart = off # three", True),
                               ('checkpoint = plain\nrestart = "previous"', False)):
            (self.folder / "a.toml").write_text(text)
            with self.subTest(text):
                found = self.batch("cg", "--config=a.toml", SLURM_RESTART_COUNT="1")[1]
                self.assertEqual("--restart" in found, restarts)

    def signalled(self, number, *way, is_passed=True):
        """The exit code, and what the program has seen of a signal."""
        for name in ("started", "signals", "requeued", "code"):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / "sleep").touch()
        with subprocess.Popen([SCRIPTS / "slurm" / "batch.sh", "cg", *way], cwd=self.folder,
                              env={**self.variables, "QUARTET_EXIT_CODE_FILE": str(self.folder / "code")}, stderr=subprocess.DEVNULL) as process:
            self.wait_for((self.folder / "started").exists)
            time.sleep(0.1)
            process.send_signal(number)
            if not is_passed:
                time.sleep(0.3)
                self.assertFalse((self.folder / "signals").exists())
                process.terminate()
            code = process.wait(LIMIT)
        return code, (self.folder / "signals").read_text().split()

    def test_signals_are_passed_on_and_the_code_is_the_programs(self):
        for way in self.WAYS:
            self.assertEqual(self.signalled(signal.SIGUSR1, *way), (75, ["USR1"]))
            self.assertTrue((self.folder / "requeued").exists())
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.assertEqual(self.signalled(number), (75, ["TERM"]))
            self.assertFalse((self.folder / "requeued").exists())  # nothing was kept to go on from
            self.assertFalse((self.folder / "code").exists())  # a cancelled launch is run again
        # What was kept stays; but whoever cancels a job does not want it back.
        self.assertEqual(self.signalled(signal.SIGTERM, *self.WAYS[0]), (75, ["TERM"]))
        self.assertFalse((self.folder / "requeued").exists())
        # A warning before the time limit is for those who save something.
        self.assertEqual(self.signalled(signal.SIGUSR1, is_passed=False), (75, ["TERM"]))
