"""Disturbs small jobs at random for a while: kills of ranks and launchers with checkpoints or tiles to go on from,
signals, ranks that stand still, full disks, two jobs with one file. After each it looks at the
documents, the bits, and what was left behind.

    quartet soak                      # an hour
    quartet soak --minutes 5 --seed 7
    quartet soak --seed 7 --only kills --round 12   # one round again

What is drawn depends on --seed and the round alone; moments are as exact as a sleeping process is. Full
disks and a small /dev/shm are for root. The exit code is 0 if nothing failed, 3 if something did, 75
where it was interrupted."""

import argparse
import itertools
import shlex
import tempfile
import time
from pathlib import Path
from typing import Iterable

from quartet.command_line import add_launch_arguments, positive_number, seconds, some_of, whole_number, why_not
from quartet.exit_codes import BAD_USAGE, UNAVAILABLE
from quartet.files import check_output, write_json
from quartet.text import say
from quartet_dev.soak import shared_memory, summary
from quartet_dev.soak.kinds import KINDS
from quartet_dev.soak.loop import Setting, rounds
from quartet_dev.soak.programs import SMALL

EXAMPLE = "quartet soak --minutes 5 --seed 7"
MOST = 10**9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = [kind.name for kind in KINDS]
    add_launch_arguments(parser)
    parser.add_argument("--minutes", type=positive_number, default=60,
                        help="time after which no round begins (%(default)s)")
    parser.add_argument("--seed", type=whole_number(MOST, 0), default=1,
                        help="seed of everything that is drawn (%(default)s)")
    parser.add_argument("--only", type=some_of(names), default=tuple(names), metavar="KINDS",
                        help=f"some of {','.join(names)} (all)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--round", type=whole_number(MOST, 0), metavar="N", help="only this round")
    which.add_argument("--rounds", type=whole_number(MOST), metavar="COUNT", help="at most COUNT rounds")
    parser.add_argument("--patience", type=seconds, default=20,
                        help="seconds that a small job may take (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes what was done and what failed")


def setting_of(options: argparse.Namespace, folder: Path) -> Setting:
    why = shared_memory.have_own()
    kinds = tuple(kind for kind in KINDS if kind.name in options.only and not (kind.needs_mounts and why))
    repeat = shlex.join(["quartet", "soak", "--build", str(options.build)])
    return Setting(options.seed, (options.build / "bin").absolute(), options.launcher, options.patience, kinds,
                   folder, why, repeat)


def run(options: argparse.Namespace) -> int:
    reason, code = why_not(options.launcher, []), BAD_USAGE
    missing = [name for name in SMALL if not (options.build / "bin" / name).is_file()]
    if missing:
        reason = f"{options.build}/bin has no {missing[0]}: build the programs, or name another --build"
    if options.json:
        check_output(options.json)
    folder = Path(tempfile.mkdtemp(prefix="quartet-soak-"))
    setting = setting_of(options, folder)
    if not reason and not setting.kinds:
        code = UNAVAILABLE
        reason = f"nothing of --only can be tried here ({setting.why_no_mounts})"
    if reason:
        folder.rmdir()
        say(reason)
        return code
    numbers: Iterable[int] = itertools.count() if options.rounds is None else range(options.rounds)
    if options.round is not None:
        numbers = [options.round]
    record = rounds(setting, numbers, time.monotonic() + 60 * options.minutes)
    print("\n".join(summary.lines(setting, record)), flush=True)
    if options.json:
        write_json(options.json, summary.as_json(setting, record))
    return summary.exit_code(record)
