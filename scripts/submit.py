#!/usr/bin/env python3
"""submit.py MACHINE --ranks N PROGRAM [ARGUMENTS...]: submits one job to Slurm and prints its number.

MACHINE is a file as in scripts/slurm/machines/. The job asks for the nodes and GPUs that the ranks
need there, and runs scripts/slurm/cpu.sbatch or gpu.sbatch; --dry-run shows the command."""

import argparse
import os
import shlex
import subprocess
from pathlib import Path

from quartet.command_line import parser_of, run_script, whole_number
from quartet.exit_codes import FAILED, VERIFIED, ScriptError
from quartet.launch import Job
from quartet.slurm.machine import SlurmMachine, request

MOST_RANKS = 10**6


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("machine", type=Path)
    parser.add_argument("--ranks", type=whole_number(MOST_RANKS), required=True)
    parser.add_argument("--threads", type=whole_number(4096), default=1, help="of a rank (%(default)s)")
    parser.add_argument("--minutes", type=whole_number(366 * 24 * 60), default=30, help="at most (%(default)s)")
    parser.add_argument("--output", default="quartet-%j.out", help="of the job (%(default)s)")
    parser.add_argument("--dry-run", action="store_true", help="shows the sbatch command")
    parser.add_argument("program", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main() -> int:
    given = parse_arguments()
    job = Job(given.program, given.ranks, given.threads, tuple(given.arguments))
    machine = SlurmMachine.load(given.machine)
    if not given.program.is_file() or not os.access(given.program, os.X_OK):
        raise ScriptError(f"there is no program {given.program}: build it first")
    wanted = request(machine, job, given.minutes)
    command = ["sbatch", "--parsable", f"--output={given.output}", *wanted.options, str(wanted.script),
               str(given.program.resolve()), *given.arguments]
    variables = machine.variables()
    if given.dry_run:
        print(" ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items()),
              shlex.join(command))
        return VERIFIED
    try:
        done = subprocess.run(command, env={**os.environ, **variables}, check=False)
    except (OSError, ValueError) as error:
        raise ScriptError(f"sbatch cannot be run ({error}): go to a machine with Slurm",
                          FAILED) from None
    return VERIFIED if done.returncode == 0 else FAILED


if __name__ == "__main__":
    run_script(main)
