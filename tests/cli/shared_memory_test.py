"""Jobs that share a small /dev/shm neither hang nor die of a signal: what does not fit is said."""

import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet.processes import kill_session
from quartet_cli import LAUNCHER, PROGRAMS, main, schemas

ROUNDS = 4
PATIENCE = 60
JOB = "--sizes 20MiB --pushes 3 --runs 3 --warmup 0 --limits off --transport shm --device host"
IN_A_SMALL_SHM = ["unshare", "-m", "sh", "-c",
                  'mount -t tmpfs -o size={size} none /dev/shm && shift && exec "$@"', "sh", ""]


def why_not_here():
    """Why a mount of one's own cannot be made, or None."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return "mounting is for root"
    tried = subprocess.run([word.format(size="1m") for word in IN_A_SMALL_SHM] + ["true"],
                           stderr=subprocess.DEVNULL, check=False)
    return None if tried.returncode == 0 else "nothing can be mounted here"


@unittest.skipIf(why_not_here(), why_not_here() or "")
class SharedMemory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def end(self, jobs):
        kill_session(jobs.pid)
        jobs.wait()

    def together(self, size, *commands):
        """Code, standard error and document of jobs that begin together on one /dev/shm."""
        script = "".join(
            # Launchers that share a folder for sessions remove it under others.
            f"mkdir -p {number}; TMPDIR=$PWD/{number} {shlex.join(map(str, command))}"
            f" >{number}.out 2>{number}.err & p{number}=$!\n"
            for number, command in enumerate(commands))
        script += "".join(f"wait $p{number}; echo $? >{number}.code\n"
                          for number in range(len(commands)))
        jobs = subprocess.Popen([word.format(size=size) for word in IN_A_SMALL_SHM]
                                + ["sh", "-c", script], cwd=self.folder,
                                stdin=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(self.end, jobs)
        jobs.communicate(timeout=PATIENCE)  # or it hangs
        return [(int((self.folder / f"{number}.code").read_text()),
                 (self.folder / f"{number}.err").read_text()) for number in range(len(commands))]

    def job(self, number, arguments=JOB):
        return [LAUNCHER, "2", PROGRAMS / "stream", *arguments.split(), "--quiet", "--force",
                "--json", f"{number}.json"]

    def test_of_two_jobs_that_do_not_fit_one_is_refused_and_one_right(self):
        for _ in range(ROUNDS):
            outcomes = self.together("60m", self.job(0), self.job(1))
            self.assertIn(0, [code for code, _ in outcomes], outcomes)
            for number, (code, stderr) in enumerate(outcomes):
                self.assertIn(code, (0, 2, 3), outcomes)
                self.assertNotIn("ignal", stderr)
                if code == 0:
                    schemas.read_strictly(self.folder / f"{number}.json")
                else:
                    self.assertEqual(len(stderr.splitlines()), 1, stderr)
                    self.assertIn("/dev/shm", stderr)

    def test_two_jobs_that_fit_are_both_right(self):
        small = JOB.replace("20MiB", "4MiB")
        outcomes = self.together("60m", self.job(0, small), self.job(1, small))
        self.assertEqual([code for code, _ in outcomes], [0, 0], outcomes)

    def test_one_job_that_does_not_fit_says_so(self):
        [(code, stderr)] = self.together("60m", self.job(0, JOB.replace("20MiB", "40MiB")))
        self.assertEqual(code, 2, stderr)
        self.assertIn("--shm-size", stderr)
        self.assertEqual(len(stderr.splitlines()), 1, stderr)


if __name__ == "__main__":
    main()
