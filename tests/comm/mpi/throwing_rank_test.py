"""throwing_rank_test.py LAUNCHER [EMULATOR...] PROGRAM: a rank that throws ends the whole job.

Runs PROGRAM on three ranks in both of its ways and checks that the exit code is 3, that it takes
seconds rather than for ever, that what the rank wrote has come out, and that no rank lives on.
"""

import os
import pathlib
import subprocess
import sys
import time

ENOUGH_SECONDS = 20


def processes_with(token):
    """Process numbers whose environment holds `token`; unlike names, it is this test's own."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if token.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue  # gone meanwhile, or another user's
    return found


def wait_until_gone(token, seconds):
    end = time.monotonic() + seconds
    while processes_with(token) and time.monotonic() < end:
        time.sleep(0.1)
    return processes_with(token)


def check(way, launcher, program):
    token = f"QUARTET_TEST_JOB={os.getpid()}-{way}"
    name, value = token.split("=")
    begin = time.monotonic()
    job = subprocess.run([launcher, "3", *program, way], env={**os.environ, name: value},
                         capture_output=True, text=True, timeout=4 * ENOUGH_SECONDS, check=False)
    took = time.monotonic() - begin
    problems = []
    if job.returncode != 3:
        problems.append(f"exit code {job.returncode} instead of 3")
    if took >= ENOUGH_SECONDS:
        problems.append(f"took {took:.1f} s")
    if way == "inside" and "thrown by rank 1" not in job.stdout + job.stderr:  # Open MPI 5 mixes them
        problems.append("what the rank wrote is missing")
    if way == "outside" and "rank 1 ends the job" not in job.stderr:
        problems.append("the session did not say who ended the job")
    left = wait_until_gone(token, 5)
    if left:
        problems.append(f"processes left: {left}")
    print(f"{way}: {'; '.join(problems) or f'as it should be, {took:.1f} s'}")
    if problems:
        print(job.stdout + job.stderr)
    return not problems


def main():
    launcher, *program = sys.argv[1:]
    results = [check(way, launcher, program) for way in ("outside", "inside")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
