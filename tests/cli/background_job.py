"""A job in the background, to be disturbed while it runs."""

import os
import signal
import subprocess
import time

from quartet.processes import alive_in_session, kill_session, send, wait_for_the_last
from quartet_cli import LAUNCHER, PROGRAMS, SECONDS_TO_VANISH

PATIENCE = 30  # seconds for what takes a moment


class Job:
    """A program in the background, with whatever it leaves in a folder of its own."""

    launcher_stayed = False  # after its ranks had gone

    def __init__(self, program, scratch, ranks, *arguments):
        self.program = (PROGRAMS / program).resolve()
        environment = dict(os.environ, TMPDIR=str(scratch),
                           OMPI_MCA_btl_vader_backing_directory=str(scratch),
                           OMPI_MCA_osc_sm_backing_directory=str(scratch))
        self.process = subprocess.Popen(
            [LAUNCHER, str(ranks), self.program, *" ".join(arguments).split()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment, start_new_session=True)

    def ranks(self):
        """The processes of the ranks, but not of the launcher."""
        def is_rank(process):
            try:
                return os.readlink(f"/proc/{process}/exe") == str(self.program)
            except OSError:
                return False
        return [process for process in alive_in_session(self.process.pid) if is_rank(process)]

    def wait_until(self, condition):
        """False if the job ended first."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.002)
        return condition()

    def kill(self, processes):
        send(processes, signal.SIGKILL)

    def kill_all(self):
        kill_session(self.process.pid)

    def end(self):
        """The exit code and what was said, once nothing of it is left."""
        try:
            stdout, stderr = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            # Open MPI 4.1.4's may wait for a lock of its own (PMIx_server_finalize) where a rank was
            # killed; that no rank is left is what counts.
            self.launcher_stayed = not self.ranks()
            self.kill_all()
            stdout, stderr = self.process.communicate()
            assert self.launcher_stayed, f"ranks did not end: {stderr}"
        assert wait_for_the_last(self.process.pid, SECONDS_TO_VANISH) == []
        return self.process.returncode, stdout, stderr
