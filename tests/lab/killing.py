"""Commands that are killed on their way, again and again, until one ends by itself."""

import time

from hosts import wait_for

SECONDS = 300
IN_USE = 2  # the folder, by the sbatch of a command that was killed


def kill_on_the_way(begin, progress, source, kills):
    """`begin` starts the command, which is killed a random moment after `progress` has grown, `kills` times at most.
    Returns the process that ended by itself, and how many were killed."""
    killed, end = 0, time.monotonic() + SECONDS
    while True:
        before, process = progress(), begin()
        wait_for(lambda: process.poll() is not None or (killed < kills and progress() > before),
                 end - time.monotonic(), "it does not end")
        if process.poll() is None:
            time.sleep(source.uniform(0, 0.3))
        if process.poll() is None:
            process.kill()
            killed += 1
        elif process.returncode != IN_USE:
            return process, killed
        process.wait()
