"""Finds slow nodes. Runs stream, cg and fft for some seconds on the processors and the GPUs of each node, and stream
between neighbours in a ring (or other pairs). Prints a table of the slow ones.

In salloc's shell or a batch script it checks the nodes of that job, by job steps. Elsewhere it submits a job for each
node and each pair (--slurm), which run when nodes become free. After an interruption give the same command again: it
continues, and shows what was found meanwhile. A check is over a day after its first launch, or by --cancel; then the
same command begins a new one. A node's network rate is that of its best pair, so that a slow node does not make its
partners slow. `quartet history` says since when a node is slow.

--this checks only the node that it runs on, within --budget: for Slurm's prolog, epilog or HealthCheckProgram, or by
hand (docs/cluster.md). Rates are compared with --reference, and a launch that finds something is repeated. It prints
one line, which ends with the next command to run.

Exit codes: 1 a node or a pair is slow, 3 a launch failed, 4 undecided, 75 launches are left. With --this: 0 sound; 5
sick: both launches found a rate below the reference, a wrong result, or a program that hangs; 4 cannot tell: there is
no reference for this kind of node, it is slow but disturbed by others, a program could not run, or no time was left."""

import argparse
import contextlib
import dataclasses
import functools
import hashlib
import itertools
import os
import re
import shlex
import signal
import stat
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

from quartet.command_line import (
    UsageError,
    add_launch_arguments,
    add_queue_arguments,
    integer,
    require_launcher,
    seconds,
    share,
    some_of,
)
from quartet.exit_codes import FAILED, SICK, STOPPED, UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.files import make_folder, read_text, write_text
from quartet.launch import LocalLauncher
from quartet.machine import Machine
from quartet.nodes import check_result, this
from quartet.nodes import plan as nodes_plan
from quartet.paths import PROGRAMS, RESULTS
from quartet.results import reference
from quartet.results.document import files_below
from quartet.rounds import Budget
from quartet.slurm.launcher import UP, Allocation, SlurmLauncher, StepLauncher, hosts_of, machine_here, node_states
from quartet.slurm.machine import SlurmMachine
from quartet.sweep.folder import SweepFolder, launches, new_folder, stored_plan, unfinished
from quartet.sweep.loop import QueuedSweep, Sweep, cost
from quartet.sweep.plan import Plan, version_of
from quartet.terminal import printable
from quartet.text import WIDTH, counted, say, shown

EXAMPLE = "quartet nodes --slurm mine.json --hosts 'n[1-16]'"
EXIT_CODES = {this.Verdict.SOUND: VERIFIED, this.Verdict.SICK: SICK, this.Verdict.CANNOT_TELL: UNDECIDED}
LEAST = {False: 0.05, True: 0.1}  # default of --least, by --this


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernels", type=some_of(nodes_plan.CHECKS), default=tuple(nodes_plan.CHECKS), metavar="LIST",
                        help=f"kernels to run on each node ({','.join(nodes_plan.CHECKS)})")
    parser.add_argument("--device", choices=("auto", nodes_plan.HOST, nodes_plan.CUDA), default="auto",
                        help="where the kernels compute; auto: on the processors, and also on GPUs if the nodes have "
                        "some; pairs between processors (%(default)s)")
    parser.add_argument("--small", action="store_true", help="small problems, to try the command")
    parser.add_argument("--least", type=share, metavar="SHARE",
                        help="a rate is slow only if it is this share below the median (0.05; of --this 0.1)")
    parser.add_argument("--reference", type=Path, action="append", default=[], metavar="PATH",
                        help="documents of sound nodes of this kind, or a folder: rates below these are slow, too")
    parser.add_argument("--results", type=Path,
                        help=f"where new folders are made ({RESULTS / 'nodes'}; with --this: none is kept)")
    add_launch_arguments(parser)
    many = parser.add_argument_group("many nodes")
    add_queue_arguments(many, 300)
    many.add_argument("--hosts", metavar="LIST",
                      help="nodes as Slurm writes them, n[1-300] (the job's, or the partition's that are up)")
    many.add_argument("--pairs", choices=(nodes_plan.RING, nodes_plan.ALL, nodes_plan.NONE), default=nodes_plan.RING,
                      help="which nodes send to each other (%(default)s)")
    many.add_argument("--launches", type=integer(100), default=2,
                      help="launches on each node and pair; the best one counts (%(default)s)")
    many.add_argument("--at-once", type=integer(10_000), default=32, metavar="N",
                      help="job steps at one time, on different nodes; with 1 none shares the network (%(default)s)")
    one = parser.add_argument_group("this node")
    one.add_argument("--this", action="store_true", help="checks the node that this runs on")
    one.add_argument("--budget", type=seconds, default=60, metavar="SECONDS",
                     help="it ends within this time, whatever happens (%(default)s); more gives no program more "
                     f"than {this.LONGEST:.0f} s")
    one.add_argument("--max-age", type=age, metavar="AGE",
                     help="runs nothing if such a check has found the node sound within this time: 6h, 30m, 1d")
    one.add_argument("--fail-closed", action="store_true",
                     help="ends with 5, as for a sick node, also if it cannot tell")


def age(text: str) -> float:
    """The type of an argument that is a time, in seconds: 6h, 30m, 1d."""
    found = re.fullmatch(r"([0-9]{1,6})([smhd])", text, re.ASCII)
    if not found or not int(found[1]):
        raise argparse.ArgumentTypeError(f"'{text:.40}' is no time (as 6h, 30m, 1d)")
    return float(int(found[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]])


def hosts_up(partition: str, named: tuple[str, ...]) -> tuple[str, ...]:
    """The named nodes, or all of the partition, that run jobs now or could; says which are left out. Raises ScriptError
    if there are none, or if Slurm does not know one that is named."""
    states = node_states("" if named else partition)
    unknown = [name for name in named if name not in states]
    if unknown:
        raise ScriptError(f"there is no {', '.join(unknown)} (sinfo names {counted(len(states), 'node')}): --hosts")
    wanted = named or sorted(states)
    left_out = [f"{name} ({states[name]})" for name in wanted if states[name] not in UP]
    if left_out:
        say(f"left out: {', '.join(left_out)}")
    found = [name for name in wanted if states[name] in UP]
    if not found:
        raise ScriptError(f"no such node of {partition or 'this site'} is up (by sinfo): name others (--hosts)")
    return hosts_of(",".join(found))


def make_plan(options: argparse.Namespace, machine: SlurmMachine, names: tuple[str, ...],
              version: Callable[[Path], str] = version_of) -> Plan:
    if options.device == nodes_plan.CUDA and not machine.gpus_per_node:
        raise ScriptError(f"--device cuda ({machine.name} has no GPUs: gpus_per_node): another machine")
    both = (nodes_plan.HOST, nodes_plan.CUDA) if machine.gpus_per_node else (nodes_plan.HOST,)
    node = nodes_plan.Node(machine.cores_per_node, machine.gpus_per_node,
                           both if options.device == "auto" else (options.device,))
    pairs = nodes_plan.pairs_of(names, options.pairs)
    kernels = {*options.kernels, *([nodes_plan.BETWEEN] if pairs else [])}
    programs = {kernel: version(options.build / "bin" / kernel) for kernel in sorted(kernels)}
    return nodes_plan.plan(names, pairs, node, options.kernels, options.launches, programs, options.small)


def open_folder(options: argparse.Namespace, machine: SlurmMachine, named: tuple[str, ...]) -> Optional[SweepFolder]:
    """The folder of the check that was begun, or of a new one; None if --cancel finds no check. A check of nodes that
    are all `named`, or of any if none are, continues with its own nodes, whichever are up now."""
    version = functools.cache(version_of)  # of each program, for all plans

    def again(there: dict[str, Any]) -> Plan:
        own = nodes_plan.hosts_in(there)
        return make_plan(options, machine, own if {*own} <= {*(named or own)} else named, version)

    def is_wanted(there: dict[str, Any]) -> bool:
        return bool(there["name"] == nodes_plan.NAME and there == again(there).as_json())

    path = options.folder or unfinished(options.results, is_wanted, options.retry_failed)
    there = stored_plan(path) if path else None
    if path and there and is_wanted(there):
        folder = SweepFolder.open(path, again(there))
        if options.cancel or options.folder or not is_over(folder, options):
            if not options.cancel:
                _report_nodes(folder, machine.partition, named)
            return folder
        say(f"{path} is left as it is, since its first launch was more than a day ago: a new check begins, and "
            "queued jobs of the old one are cancelled")
        QueuedSweep(folder, SlurmLauncher(machine, options.timeout), options).cancel()
    elif options.cancel and not there:
        return None
    plan = make_plan(options, machine, hosts_up(machine.partition, named), version)
    return SweepFolder.open(options.folder or new_folder(options.results, plan), plan)


def is_over(folder: SweepFolder, options: argparse.Namespace) -> bool:
    """True if launches are left, but the first launch was too long ago to compare with them."""
    period = folder.period()
    return bool(period and time.time() > period[0] + nodes_plan.LONGEST and (options.retry_failed or folder.left()))


def _report_nodes(folder: SweepFolder, partition: str, named: tuple[str, ...]) -> None:
    names, states = nodes_plan.hosts_in(folder.plan.as_json()), node_states("" if named else partition)
    needed = dict.fromkeys(host for launch in folder.left() for host in launch.configuration.hosts)
    gone = [f"{name} ({states.get(name, 'unknown to Slurm')})" for name in needed if states.get(name) not in UP]
    others = sorted(name for name in named or states if states.get(name) in UP and name not in names)
    say(f"continues the check of {counted(len(names), 'node')} that was begun"
        + f"; launches wait for these nodes, which are not up: {', '.join(gone)}" * bool(gone)
        + f"; not part of it (after --cancel a new check begins): {', '.join(others)}" * bool(others))


def show_cost(plan: Plan, machine: SlurmMachine, options: argparse.Namespace) -> int:
    for block in plan.blocks:
        of_it = [plan.configurations[number] for number in block.members]
        noun = "pair" if block.title == nodes_plan.PAIR else "node"
        print(f"{block.title}: {counted(len(of_it), noun)}, {counted(options.launches, 'launch')} of each, "
              f"{counted(of_it[0].ranks, 'rank')}")
    print(textwrap.fill(cost(plan, machine, options.timeout, nodes_plan.SECONDS), WIDTH))
    return VERIFIED


def check_nodes(options: argparse.Namespace) -> int:
    known = reference.read(options.reference, options.least)
    options.budget = None
    options.results = options.results or RESULTS / "nodes"
    allocation = Allocation.here()
    machine = SlurmMachine.load(options.slurm) if options.slurm else machine_here()
    named = hosts_of(options.hosts) if options.hosts else allocation.nodes if allocation else ()
    if options.dry_run:
        return show_cost(make_plan(options, machine, hosts_up(machine.partition, named)), machine, options)
    folder = open_folder(options, machine, named)
    if not folder:
        say("there is no check to cancel")
        return VERIFIED
    say(f"{counted(len(launches(folder.plan)), 'launch')}, results in {shown(folder.path)}")
    kinds = sum(block.title != nodes_plan.PAIR for block in folder.plan.blocks)
    queue = SlurmLauncher(machine, options.timeout, options.timeout * options.launches * kinds)
    if options.cancel:
        QueuedSweep(folder, queue, options).cancel()
        folder.mark_over()
        say("the check is over: its results stay, and the same command begins a new one")
        return VERIFIED
    if is_over(folder, options):
        say("its first launch was more than a day ago: nothing more of it is run; a new check is for another --folder")
        code = STOPPED if folder.left() else VERIFIED
    elif allocation:
        code = Sweep(folder, StepLauncher(machine), options, allocation, options.at_once).run()
    else:
        code = QueuedSweep(folder, queue, options).run()
    found = check_result.evaluate(folder, options.least, known)
    print(check_result.render(found), end="")
    if not found.left:
        folder.mark_over()
    what = WRONG_RESULT if found.named else FAILED if found.failures else VERIFIED if found.is_decided else UNDECIDED
    return STOPPED if code == STOPPED else what


class _NoTimeLeft(BaseException):
    pass


def _raise(_number: int, _frame: object) -> None:
    raise _NoTimeLeft


def _kept_folder(results: Path, node: str) -> Path:
    """A new folder, whose name nobody can know beforehand."""
    begin = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{node}-"
    found = Path(tempfile.mkdtemp(prefix=begin, dir=make_folder(results).absolute()))
    found.chmod(0o755)
    return found


def _check_in_time(options: argparse.Namespace, node: str) -> this.NodeResult:
    """Returns a verdict in time, whatever happens. Raises only UsageError."""
    end = time.monotonic() + max(0.95 * options.budget - this.SECONDS_TO_KILL, options.budget / 2)
    signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, end - time.monotonic())
    try:
        this.leave_job()
        counts = {nodes_plan.HOST: Machine.here().cores, nodes_plan.CUDA: this.gpus_here()}
        if options.device == nodes_plan.CUDA and not counts[nodes_plan.CUDA]:
            raise UsageError("--device cuda (the driver lists no GPU here)")
        wanted = this.launches(options.build.absolute() / "bin", options.kernels, {
            device: count for device, count in counts.items() if count and options.device in ("auto", device)},
            options.small)
        known = reference.read(options.reference, options.least)
        if options.device == "auto" and not counts[nodes_plan.CUDA] and known.has_gpus:
            why = "the reference has rates of GPUs, but the driver lists none here"
            return this.NodeResult(this.Verdict.CANNOT_TELL, why, "nvidia-smi")
        with tempfile.TemporaryDirectory(prefix="quartet-") as name:
            folder = _kept_folder(options.results, node) if options.results else Path(name)
            what = this.NodeCheck(Budget(end - time.monotonic()), LocalLauncher(options.launcher), known, folder,
                                  Path(name)).run(wanted)
            return _with_reference(options, what) if what.next == this.MAKE_REFERENCE and options.results else what
    except UsageError:
        raise
    except _NoTimeLeft:
        what_next = this.more_time(options.budget)
        return this.NodeResult(this.Verdict.CANNOT_TELL, "the time was over before the end", what_next)
    except (ScriptError, OSError) as error:
        what_next = this.MAKE_REFERENCE if isinstance(error, ScriptError) else this.CHECK_MACHINE
        return this.NodeResult(this.Verdict.CANNOT_TELL, str(error), what_next)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _with_reference(options: argparse.Namespace, what: this.NodeResult) -> this.NodeResult:
    """The result of a run with --results: says which of its rows are a reference now, and why others are none."""
    made = reference.Reference({})
    with contextlib.suppress(ScriptError):
        made = reference.read([options.results])
    rows = {nodes_plan.title_of(row.name.kernel, row.name.device): row for row in (each.row for each in what.rows)}
    used = [title for title, row in rows.items() if made.of(row) and row.verified and not row.is_distrusted]
    kept = ", ".join(used)
    whys = [f"{title} is {'in doubt' if row.verified else 'not verified'}" + f" ({', '.join(row.doubts)})" * bool(
        row.doubts) for title, row in rows.items() if title not in used]
    texts = [f"kept as a reference: {kept}"] * bool(kept) + [f"no reference: {'; '.join(whys)}"] * bool(whys)
    what_next = f"quartet nodes --this --{'results' if whys else 'reference'} {shlex.quote(str(options.results))}"
    return dataclasses.replace(what, reason="; ".join([what.reason, *(texts or ["nothing was measured"])]),
                               next=what_next if kept else f"{this.CHECK_MACHINE} --quick")


def _with_options(what_next: str, options: argparse.Namespace) -> str:
    """The next command, with the options that choose what is measured."""
    given = [["--small"] * options.small, ["--kernels", ",".join(options.kernels)] * (
        options.kernels != tuple(nodes_plan.CHECKS)), ["--device", options.device] * (options.device != "auto"),
        ["--build", str(options.build)] * (options.build != PROGRAMS)]
    given += [["--least", str(options.least)] * (options.least != LEAST[True])]
    if "--budget" in what_next:
        given += [["--reference", str(path)] for path in options.reference]
        given += [["--results", str(options.results)]] if options.results else []
    return what_next.replace("nodes --this", shlex.join(["nodes", "--this", *itertools.chain(*given)]), 1)


def stamp_of(options: argparse.Namespace) -> Path:
    """The file that records that this check found this node sound, in a folder that only this user can write."""
    own = "/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR") or os.path.expanduser("~/.cache")
    what = (os.uname().nodename, options.kernels, options.device, options.small, options.least,
            options.build.absolute(), [(file.absolute(), file.stat().st_mtime_ns if file.exists() else 0)
                                       for path in options.reference for file in (path, *files_below(path, []))])
    return Path(own, "quartet") / f"sound-{hashlib.sha256(repr(what).encode()).hexdigest()[:16]}"


def _recently_sound(stamp: Path, most: float) -> str:
    """The recorded result and its age, if it is at most `most` seconds old; else empty."""
    with contextlib.suppress(OSError, ScriptError):
        state = stamp.lstat()
        since = time.time() - state.st_mtime
        if stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid() and 0 <= since <= most:
            return f"{read_text(stamp, 10_000).strip()} (found {since / 60:.0f} min ago)"
    return ""


def _update_stamp(stamp: Path, reason: str, is_sound: bool) -> None:
    """Records that the node is sound, or removes all such records. If none can be written, the next check runs."""
    with contextlib.suppress(OSError, ScriptError):
        if is_sound:
            make_folder(stamp.parent)
            write_text(stamp, reason)
        else:
            for file in stamp.parent.glob("sound-*"):
                file.unlink(missing_ok=True)


def check_this(options: argparse.Namespace) -> int:
    if options.budget < 1:
        raise UsageError(f"--budget {options.budget:g} (seconds; a launch takes some): give 1 at least")
    others = [key for key in ("slurm", "hosts", "folder", "dry_run", "cancel", "retry_failed") if getattr(options, key)]
    if others:
        raise UsageError(f"--{others[0].replace('_', '-')} is of a check of many nodes: leave it out, or --this")
    require_launcher(options.launcher)
    node, stamp = os.uname().nodename.partition(".")[0], stamp_of(options)
    earlier = _recently_sound(stamp, options.max_age) if options.max_age else ""
    if earlier:
        print(printable(f"{node}: {this.Verdict.SOUND.value}: {earlier}; next: quartet run"))
        return VERIFIED
    found = _check_in_time(options, node)
    if options.max_age or found.verdict is not this.Verdict.SOUND:
        _update_stamp(stamp, found.reason, found.verdict is this.Verdict.SOUND)
    print(printable(f"{node}: {found.verdict.value}: {found.reason}; next: {_with_options(found.next, options)}"))
    is_refused = options.fail_closed and found.verdict is this.Verdict.CANNOT_TELL
    return SICK if is_refused else EXIT_CODES[found.verdict]


def run(options: argparse.Namespace) -> int:
    options.least = options.least or LEAST[options.this]
    return check_this(options) if options.this else check_nodes(options)
