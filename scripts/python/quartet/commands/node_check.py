"""Whether the node that this runs on is sound, alone and within a budget of time: as Slurm's prolog,
epilog or HealthCheckProgram, as a check of NHC, or by hand (docs/cluster.md).

It runs stream, cg and fft as quartet nodes does, on GPUs too where there are any, each beside its limit, and
compares the rates with --reference: documents of like nodes, such as the folder of a quartet nodes, or what --results
has kept on sound nodes. A look that finds something is followed by a second one. The line that it prints ends with
what to run next.

Exit codes: 0 sound. 5 sick: both looks found a rate below the reference, a wrong result, or a program that hangs.
4 cannot tell: no reference for this kind of node, slow but disturbed by others, a program that could not run,
or no time left; with --fail-closed that is 5 as well."""

import argparse
import contextlib
import dataclasses
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from quartet.command_line import (
    UsageError,
    add_launch_arguments,
    cannot_run,
    seconds,
    share,
    some_of,
    whole_number,
)
from quartet.exit_codes import SICK, UNDECIDED, VERIFIED, ScriptError
from quartet.files import check_output, make_folder, write_text
from quartet.machine import Machine
from quartet.node_check import plan
from quartet.node_check.check import SECONDS_TO_KILL, Found, NodeCheck, Verdict, more_time
from quartet.node_check.look import MAKE_REFERENCE, Killing
from quartet.node_check.output import Report
from quartet.nodes.plan import CHECKS, CUDA, HOST
from quartet.results import reference
from quartet.terminal import printable

EXAMPLE = "quartet node-check --reference sound/ --budget 60"
CODES = {Verdict.SOUND: VERIFIED, Verdict.SICK: SICK, Verdict.CANNOT_TELL: UNDECIDED}


class _NoTimeLeft(BaseException):
    pass


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_launch_arguments(parser)
    parser.add_argument("--budget", type=seconds, default=60, metavar="SECONDS",
                        help="it ends within so long, whatever happens (%(default)s)")
    parser.add_argument("--reference", type=Path, action="append", default=[], metavar="PATH",
                        help="documents of sound nodes of this kind, or a folder of them; may be repeated")
    parser.add_argument("--least", type=share(), default=0.1, metavar="SHARE",
                        help="a rate is slow only if it is this share below the reference's median (%(default)s, or "
                             "10%%)")
    parser.add_argument("--fail-closed", action="store_true", help="what cannot be told counts as sick")
    parser.add_argument("--kernels", type=some_of(CHECKS), default=tuple(CHECKS), metavar="LIST",
                        help=f"programs to run ({','.join(CHECKS)})")
    parser.add_argument("--device", choices=("auto", HOST, CUDA), default="auto",
                        help="auto: the processor, and GPUs where there are any (%(default)s)")
    parser.add_argument("--gpus", type=whole_number(1000), metavar="N",
                        help="how many there are (those that the driver lists)")
    parser.add_argument("--small", action="store_true", help="small problems, to try it")
    parser.add_argument("--json", action="store_true", help="prints an object on one line instead")
    parser.add_argument("--prometheus", type=Path, metavar="FILE.prom",
                        help="also writes this file, for node exporter's textfile collector")
    parser.add_argument("--results", type=Path, metavar="FOLDER",
                        help="keeps the documents there, to be a reference or a history")


def counts(options: argparse.Namespace) -> dict[str, int]:
    """How many cores and GPUs are to compute, by device."""
    gpus = options.gpus or plan.gpus_here()
    if options.device == CUDA and not gpus:
        raise UsageError("--device cuda (the driver lists no GPU here)")
    found = {HOST: Machine.here().cores, CUDA: gpus}
    return {device: count for device, count in found.items() if count and options.device in ("auto", device)}


@contextlib.contextmanager
def _folder(options: argparse.Namespace, node: str) -> Iterator[Path]:
    """Of what launches leave: one that is kept, or a temporary one."""
    if options.results:
        yield make_folder(options.results / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{node}")
    else:
        with tempfile.TemporaryDirectory(prefix="quartet-") as name:
            yield Path(name)


def _raise(_number: int, _frame: object) -> None:
    raise _NoTimeLeft


def found(options: argparse.Namespace, node: str) -> Found:
    """Whatever happens is a verdict in time, but for bad usage."""
    end = time.monotonic() + max(options.budget - SECONDS_TO_KILL, options.budget / 2)
    signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, end - time.monotonic())
    try:
        plan.stand_alone()
        launches = plan.launches(options.build / "bin", options.kernels, counts(options), options.small)
        known = reference.read(options.reference, options.least)
        with _folder(options, node) as folder:
            what = NodeCheck(end - time.monotonic(), Killing(options.launcher), known, folder).run(launches)
        if what.next == MAKE_REFERENCE and options.results:
            return dataclasses.replace(what, next=f"quartet node-check --reference {options.results}")
        return what
    except UsageError:
        raise
    except _NoTimeLeft:
        return Found(Verdict.CANNOT_TELL, "no time was left", more_time(options.budget))
    except ScriptError as error:
        return Found(Verdict.CANNOT_TELL, str(error), MAKE_REFERENCE)
    except OSError as error:
        return Found(Verdict.CANNOT_TELL, str(error), "quartet check-machine")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run(options: argparse.Namespace) -> int:
    reason = cannot_run(options.launcher)
    if reason:
        raise ScriptError(reason)
    if options.prometheus:
        check_output(options.prometheus)
    began, node = time.time(), os.uname().nodename.partition(".")[0]
    what = found(options, node)
    if options.fail_closed and what.verdict is Verdict.CANNOT_TELL:
        what = dataclasses.replace(what, verdict=Verdict.SICK, reason=f"as nothing can be told: {what.reason}")
    report = Report(node, began, time.time() - began, what)
    print(report.json() if options.json else printable(report.line()))
    if options.prometheus:
        write_text(options.prometheus, report.prometheus())
    return CODES[what.verdict]
