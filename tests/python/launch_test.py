"""Tests of scripts/launch.sh with a launcher that stands in for Open MPI's."""

import contextlib
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path
from unittest import mock

import quartet.launch
from fake_build import Scratch
from quartet.launch import Job, LocalLauncher
from tree import SCRIPTS

LAUNCH = SCRIPTS / "launch.sh"
LIMIT = 20  # seconds
SETS_GROUPS = subprocess.run("perl -e 1 && setpriv --pdeathsig TERM true", shell=True, check=False,
                             stderr=subprocess.DEVNULL).returncode == 0
# Leaves its arguments, environment and process number; ends as {folder}/on-SIGNAL says.
MPIEXEC = """#!/bin/sh
[ "$1" = --version ] && echo "mpirun (Open MPI) 4.1.4" && exit
cd {folder}
printf '%s\\n' "$@" >arguments
env >environment
for name in USR1 TERM INT HUP; do
    trap "echo $name >>signals; [ ! -e on-$name ] || exit \\$(cat on-$name)" $name
done
[ ! -e sleep ] || {{ echo $$ >started; while :; do sleep 0.1; done; }}
cat >input
exit "$(cat code)"
"""


class LaunchCase(Scratch):
    def setUp(self):
        super().setUp()
        self.write("mpiexec", MPIEXEC.format(folder=self.folder))
        self.write("code", "0")
        self.program = self.write("program", "#!/bin/sh\n")
        self.variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder),
                          "TMPDIR": str(self.folder), "MPIEXEC": str(self.folder / "mpiexec")}

    def launch(self, ranks, program, *arguments, **variables):
        return subprocess.run([LAUNCH, str(ranks), str(program), *arguments], text=True,
                              env={**self.variables, **variables}, capture_output=True, check=False,
                              timeout=LIMIT, input="some input")


class Starting(LaunchCase):
    def test_what_is_no_program_is_refused_in_a_line(self):
        plain = self.write("plain", "")
        plain.chmod(0o644)
        for ranks, program in ((2, self.folder / "absent"), (2, self.folder), (2, plain), (2, "no-such-program"),
                               (2, ""), (0, self.program), (-1, self.program), ("x", self.program),
                               ("9" * 20, self.program), (10**6, self.program)):
            with self.subTest((ranks, program)):
                done = self.launch(ranks, program)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertEqual(self.launch(1, "true").returncode, 0)  # on PATH
        done = self.launch(1, self.program, QUARTET_THREADS="9" * 9)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.launch(1, self.program, MPIEXEC=str(self.folder / "absent")).returncode, 77)

    def test_arguments_input_and_code_pass_unharmed(self):
        words = ["", "a b", "$(touch x)", "line\\n", "'\"`*"]
        for code in (0, 1, 2, 3, 75, 77):
            self.write("code", str(code))
            done = self.launch(2, self.program, *words)
            self.assertEqual(done.returncode, code, done.stderr)
        found = (self.folder / "arguments").read_text().splitlines()
        self.assertEqual(found[-len(words):], words)
        self.assertEqual((self.folder / "input").read_text(), "some input")

    def test_a_folder_without_room_is_named_before_open_mpi_starts(self):
        if not Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        mktemp = self.write("mktemp", "#!/bin/sh\necho /dev/full\n")  # a full disk
        self.write("rm", "#!/bin/sh\n")
        full = self.launch(2, self.program, PATH=self.environment()["PATH"])
        mktemp.unlink()
        for done, folder in ((full, self.folder), (self.launch(2, self.program, TMPDIR="/proc"), "/proc"),
                             (self.launch(2, self.program, OMPI_MCA_orte_tmpdir_base="/proc"), "/proc")):
            self.assertEqual((done.returncode, done.stderr), (3, f"launch.sh: nothing can be written to {folder}, "
                             "where Open MPI has its files: set TMPDIR to another folder\n"))
            self.assertFalse((self.folder / "arguments").exists())
        self.assertEqual(self.launch(2, self.program, TMPDIR=str(self.folder / "new")).returncode, 0)

    def test_too_few_files_that_may_be_open_are_refused_before_open_mpi_hangs(self):
        def launch(ranks, files):
            return subprocess.run(["sh", "-c", 'ulimit -n "$1"; shift; exec "$@"', "sh", str(files), LAUNCH, str(ranks),
                                   self.program], env=self.variables, text=True, capture_output=True, check=False,
                                  timeout=LIMIT, stdin=subprocess.DEVNULL)

        done = launch(2, 32)
        self.assertEqual((done.returncode, done.stderr), (3, "launch.sh: 32 files may be open at a time (Open MPI needs 42 "
                                                          "for 2 ranks): ulimit -n 42\n"))
        self.assertFalse((self.folder / "arguments").exists())
        self.assertEqual([launch(2, 64).returncode, launch(16, 64).returncode], [0, 3])

    def test_an_empty_environment_suffices_and_swapped_words_are_named(self):
        done = subprocess.run(["/bin/sh", LAUNCH, "2", self.program], env={"MPIEXEC": self.variables["MPIEXEC"]}, text=True,
                              capture_output=True, check=False, timeout=LIMIT, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\nPATH=/usr/local/", (self.folder / "environment").read_text())
        self.assertEqual(self.launch("stream", "2").stderr, "launch.sh: RANKS comes first: quartet launch 2 stream\n")
        self.assertIn("no program strem (Quartet's are cg, fft, matmul and stream)", self.launch("2", "strem").stderr)

    def test_a_crash_is_named(self):
        for code, words in ((137, "SIGKILL"), (139, "SIGSEGV"), (135, "SIGBUS, as where /dev/shm is full"),
                            (152, "SIGXCPU"), (153, "SIGXFSZ: a file became larger than ulimit -f allows")):
            self.write("code", str(code))
            done = self.launch(2, self.program)
            self.assertEqual(done.returncode, code)
            self.assertEqual(done.stderr,
                             f"launch.sh: the job ended early ({words}): see its document, if it began one\n")
        self.write("code", "127")
        self.assertIn("was not found: look at PATH and LD_LIBRARY_PATH", self.launch(2, self.program).stderr)
        self.write("code", "131")  # of Open MPI, where it cannot start
        self.assertEqual(self.launch(2, self.program).stderr, "")

    def test_open_mpi_stays_on_loopback_unless_something_says_otherwise(self):
        def used(**variables):
            self.launch(2, self.program, **variables)
            return [line for line in self.lines("environment") if "tcp_if_include" in line]
        if Path("/sys/class/net/lo/flags").read_text().strip()[-1] not in "13579bdf":
            self.skipTest("the loopback interface is down")
        self.assertEqual(sorted(used()), ["OMPI_MCA_btl_tcp_if_include=lo", "OMPI_MCA_oob_tcp_if_include=lo"])
        for variables in ({"SLURM_JOB_ID": "1"}, {"MPIEXEC_FLAGS": "--hostfile hosts"},
                          {"OMPI_MCA_btl_tcp_if_exclude": "eth1"},
                          {"OMPI_MCA_orte_default_hostfile": "hosts"}, {"FLUX_URI": "local:///x"},
                          {"OAR_NODEFILE": "nodes"}, {"COBALT_NODEFILE": "nodes"}):
            self.assertEqual(used(**variables), [], variables)
        etc = self.folder / "etc"
        etc.mkdir()
        self.write("ompi_info", f"#!/bin/sh\necho '              Sysconfdir: {etc}'\n")
        for name, comment, text in (("openmpi-mca-params.conf", "# btl_tcp_if_include", "oob_tcp_if_include = eth1"),
                                    ("openmpi-mca-params.conf", "", "orte_default_hostfile = hosts"),
                                    ("openmpi-default-hostfile", "# hosts\n\n", "node1 slots=2")):
            (etc / name).write_text(comment + "\n")
            self.assertEqual(len(used()), 2, comment)
            (etc / name).write_text(f"{comment}\n{text}\n")
            self.assertEqual(used(), [], text)
            (etc / name).unlink()

    def test_a_job_of_several_nodes_has_its_own_launcher(self):
        self.write("srun", "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + str(self.folder / "step") + "\n")
        job = {"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "2", "QUARTET_THREADS": "3", "PATH": self.environment()["PATH"]}
        done = subprocess.run([LAUNCH, "5", self.program, "a b"], check=False, capture_output=True, text=True,
                              env={"HOME": str(self.folder), **job}, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = (self.folder / "step").read_text().splitlines()
        self.assertEqual(words[-2:], [str(self.program), "a b"])
        for word in ("--ntasks=5", "--nodes=2", "--ntasks-per-node=3", "--cpus-per-task=3", "--mpi=pmix"):
            self.assertIn(word, words)
        del job["QUARTET_THREADS"]
        subprocess.run([LAUNCH, "5", self.program], check=True, timeout=LIMIT,
                       env={"HOME": str(self.folder), **job, "SLURM_CPUS_PER_TASK": "2"})
        self.assertIn("--cpus-per-task=2", (self.folder / "step").read_text().splitlines())
        (self.folder / "step").unlink()
        self.assertEqual(self.launch(5, self.program, **job).returncode, 0)  # it has MPIEXEC
        self.assertFalse((self.folder / "step").exists())
        self.assertNotIn("--oversubscribe", (self.folder / "arguments").read_text())

    def machine_of_four_cores(self):
        self.write("nproc", "#!/bin/sh\necho 4\n")
        self.write("getconf", "#!/bin/sh\necho 4\n")
        self.write("lscpu", "#!/bin/sh\nprintf '%s\\n' 0,0 1,0 2,0 3,0\n")
        return {"PATH": self.environment()["PATH"]}

    def test_each_rank_gets_its_share_of_the_cores(self):
        path = self.machine_of_four_cores()

        def share(ranks, **variables):
            self.assertEqual(self.launch(ranks, self.program, **path, **variables).returncode, 0)
            words = (self.folder / "arguments").read_text().split()
            [threads] = [line.partition("=")[2] for line in self.lines("environment")
                         if line.startswith("OMP_NUM_THREADS=")]
            bound = [word.partition("=")[2] for word in words if word.startswith("slot:PE=")]
            return threads, *bound

        for ranks, threads in ((1, "4"), (2, "2"), (3, "1"), (4, "1")):
            self.assertEqual(share(ranks), (threads, threads))
        self.assertEqual(share(5), ("1",))  # not bound
        self.assertEqual(share(1, QUARTET_BIND="none"), ("1",))  # others need cores, too
        for name in ("QUARTET_THREADS", "OMP_NUM_THREADS"):
            self.assertEqual(share(1, **{name: "3"}), ("3", "3"))
        self.assertEqual(share(1, MPIEXEC_FLAGS="--hostfile hosts"), ("1",))
        hosts = self.write("hosts", "a\nb\n")
        self.assertEqual(share(2, PBS_NODEFILE=str(hosts)), ("1", "1"))

    def test_mpichs_launcher_is_told_to_bind_where_there_are_cores(self):
        hydra = MPIEXEC.replace('"mpirun (Open MPI) 4.1.4"', '"HYDRA build details:"')
        self.write("mpiexec", hydra.format(folder=self.folder))

        def flags(ranks, **variables):
            self.assertEqual(self.launch(ranks, self.program, "--size", **variables).returncode, 0)
            self.assertNotIn("OMPI_", (self.folder / "environment").read_text())
            words = (self.folder / "arguments").read_text().split("\n")
            self.assertEqual((words[:2], words[-3:]), (["-n", str(ranks)], [str(self.program), "--size", ""]))
            return words[2:-3]

        path = self.machine_of_four_cores()
        self.assertEqual(flags(4, **path), ["-bind-to", "core:1"])
        self.assertEqual(flags(2, **path), ["-bind-to", "core:2"])
        self.assertEqual(flags(2, QUARTET_THREADS="1", **path), ["-bind-to", "core:1"])
        self.assertEqual(flags(5, **path), [])
        self.assertEqual(flags(2, QUARTET_BIND="none", **path), [])
        self.assertEqual(flags(2, MPIEXEC_FLAGS="-ppn 1", **path), ["-ppn", "1"])


class Signals(LaunchCase):
    ENDED = "launch.sh: the job ended early (SIGTERM): see its document, if it began one\n"

    def ended(self, *numbers, group=False, errors=None):
        """The exit code after these signals, and what the launcher has seen."""
        for name in ("started", "signals"):
            (self.folder / name).unlink(missing_ok=True)
        self.write("sleep", "")
        with subprocess.Popen([LAUNCH, "2", self.program], env=self.variables, text=True,
                              start_new_session=True, stdin=subprocess.DEVNULL, stderr=errors) as process:
            self.wait_for(lambda: self.lines("started"))
            for number in numbers:
                (os.killpg if group else os.kill)(process.pid, number)
                time.sleep(0.4)
            code = process.wait(LIMIT)
        return code, self.lines("signals")

    def test_ranks_are_asked_to_stop_and_their_code_is_kept(self):
        self.write("on-USR1", "75")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            self.assertEqual(self.ended(number), (75, ["USR1"]))

    def test_a_signal_never_ends_as_a_wrong_result(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            self.write("on-USR1", "138")  # of a rank that it has ended
            self.assertEqual(self.ended(number)[0], 128 + number)
        (self.folder / "on-USR1").unlink()
        self.write("on-TERM", "1")  # of Open MPI that was ended
        self.assertEqual(self.ended(signal.SIGHUP, signal.SIGTERM)[0], 128 + signal.SIGHUP)

    def test_a_signal_before_there_is_a_job_is_not_lost(self):
        self.write("on-USR1", "75")
        self.write("sleep", "")
        self.write("on-TERM", "1")
        before, after = "[ -z \"$stopped_by\" ] || finish \"$((128 + stopped_by))\" # nothing", "job=$!\n"
        for place in ("QUARTET_LAUNCHED=\"", before, after):
            self.assertEqual(LAUNCH.read_text().count(place), 1)
            script = self.write("launch.sh", LAUNCH.read_text().replace(place, f"kill -TERM $$; {place}"))
            done = subprocess.run([script, "2", self.program], env=self.variables, check=False,
                                  stdin=subprocess.DEVNULL, timeout=LIMIT, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGTERM, self.ENDED))

    def test_a_second_signal_ends_the_job(self):
        self.write("on-TERM", "1")
        self.assertEqual(self.ended(signal.SIGINT, signal.SIGTERM), (128 + signal.SIGINT, ["USR1", "TERM"]))

    @unittest.skipUnless(SETS_GROUPS, "needs Perl and setpriv")
    def test_a_group_is_told_once_and_a_killed_launch_leaves_nothing(self):
        self.write("on-USR1", "75")
        self.assertEqual(self.ended(signal.SIGTERM, group=True), (75, ["USR1"]))
        (self.folder / "on-USR1").unlink()
        self.write("on-TERM", "1")
        self.assertEqual(self.ended(signal.SIGKILL, group=True)[0], -signal.SIGKILL)
        self.assertEqual(self.wait_for(lambda: self.lines("signals")), ["TERM"])


class Cancelling(LaunchCase):
    def test_a_job_that_ignores_every_request_is_killed_with_its_launcher(self):
        self.write("sleep", "")  # it notes signals and goes on
        job = Job(self.program, 2, 1, ())
        with mock.patch.dict(os.environ, self.variables), \
                mock.patch.object(quartet.launch, "SECONDS_TO_CLEAN_UP", 1):
            running = LocalLauncher(LAUNCH).submit(job, self.folder / "log")
            launcher = int(self.wait_for(lambda: self.lines("started"))[0])
            self.addCleanup(end, launcher)
            running.cancel()
        self.assertEqual(self.lines("signals")[:2], ["USR1", "TERM"])
        self.assertFalse(is_alive(launcher))
        self.assertNotEqual(running.wait(0), 0)

    def test_what_a_launcher_leaves_behind_is_killed(self):
        script = self.write("leaves", f"#!/bin/sh\n(trap '' TERM; cd {self.folder}; sh -c 'echo $$ >started; "
                          "exec sleep 60') & trap 'exit 3' TERM; wait\n")
        running = LocalLauncher(script).submit(Job(self.program, 1, 1, ()), self.folder / "log")
        left = int(self.wait_for(lambda: self.lines("started"))[0])
        self.addCleanup(end, left)
        running.cancel()
        self.assertFalse(is_alive(left))


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def end(process):
    if is_alive(process):
        os.kill(process, signal.SIGKILL)


class Leftovers(LaunchCase):
    def setUp(self):
        super().setUp()
        self.host = os.uname().nodename.split(".")[0]
        self.family = 0x7fff0000 | os.getpid() & 0xffff  # of no job

    def segment(self, process, family=None):
        """A job's session folder, and what it has in shared memory."""
        family = self.family if family is None else family
        session = self.folder / f"ompi.{self.host}.{os.getuid()}" / f"pid.{process}"
        session.mkdir(parents=True)
        (session / "contact.txt").write_text(f"{family}.0;tcp://127.0.0.1:1\n{process}\n")
        file = Path(f"/dev/shm/vader_segment.{self.host}.{os.getuid()}.{family + 1:x}.0")
        file.write_bytes(bytes(4096))
        self.addCleanup(file.unlink, missing_ok=True)
        return file

    def dead(self):
        with subprocess.Popen(["true"]) as process:
            process.wait()
        return process.pid

    @unittest.skipUnless(os.access("/dev/shm", os.W_OK), "needs /dev/shm")
    def test_what_dead_jobs_left_is_removed_and_nothing_else(self):
        left, living = self.segment(self.dead()), self.segment(os.getpid(), self.family ^ 0x10000)
        self.assertEqual(self.launch(1, self.program).returncode, 0)
        self.assertFalse(left.exists())
        self.assertTrue(living.exists())

    @unittest.skipUnless(os.path.exists("/proc/self/environ"), "needs /proc")
    def test_no_rank_outlives_a_launcher_that_was_killed(self):
        """Of this job: another one, begun at the same moment, has its launcher."""
        self.write("mpiexec", f"""#!/bin/sh
[ "$1" = --version ] && echo "mpirun (Open MPI) 4.1.4" && exit
cd {self.folder}
OMPI_COMM_WORLD_RANK=0 sleep 60 >/dev/null 2>&1 &
echo $! >orphan
sh -c 'OMPI_COMM_WORLD_RANK=0 sleep 60 & echo $! >child; wait' >/dev/null 2>&1 &
while [ ! -s child ]; do :; done
kill -9 $$
""")
        self.assertEqual(self.launch(1, self.program).returncode, 137)
        orphan, child = (int((self.folder / name).read_text()) for name in ("orphan", "child"))
        self.addCleanup(os.kill, child, signal.SIGKILL)
        self.assertEqual(Path(f"/proc/{child}/comm").read_text(), "sleep\n")
        end = time.monotonic() + LIMIT
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            while ") Z" not in Path(f"/proc/{orphan}/stat").read_text():
                self.assertLess(time.monotonic(), end, "the rank lives")
                time.sleep(0.05)
