"""Checks in about 20 seconds whether this machine is fit to be measured: what other processes do, how it is
configured, and whether its memory and cores keep their speed in two short launches.

Each line is ok, look (figures may suffer) or bad (they will), with what to do about it. The exit code is 0 if the check
ran, whatever it found; 3 if a launch failed; 2 for bad usage. `quartet run` checks for two seconds by itself."""

import argparse
import sys

from quartet import check_machine
from quartet.check_machine import Finding, Level
from quartet.command_line import add_launch_arguments, require_launcher, seconds
from quartet.exit_codes import FAILED, STOPPED, VERIFIED
from quartet.launch import LocalLauncher
from quartet.machine import Machine
from quartet.terminal import Style
from quartet.text import counted, say

EXAMPLE = "quartet check-machine --quick"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_launch_arguments(parser)
    parser.add_argument("--seconds", type=seconds, default=5, help="how long to watch other processes (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="launch nothing")


def show(findings: list[Finding]) -> None:
    style = Style.of(sys.stdout)
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        print("\n".join(finding.lines(style, width)), flush=True)


def verdict(findings: list[Finding]) -> str:
    bad, look = (sum(finding.level is level for finding in findings) for level in (Level.BAD, Level.LOOK))
    if bad:
        return f"Not fit: {counted(bad, 'line')} bad. Figures from now would be disturbed."
    if look:
        return f"Fit for fractions and ratios; {counted(look, 'line')} to look at before quoting rates."
    return "Fit to be measured."


def run(options: argparse.Namespace) -> int:
    if not options.quick:
        require_launcher(options.launcher)
    has_failed = False
    try:
        findings = [*check_machine.watch_others(options.seconds), *check_machine.settings()]
        show(findings)
        if not options.quick:
            launched, has_failed = check_machine.run_probes(options.build / "bin", LocalLauncher(options.launcher),
                                                            Machine.here())
            show(launched)
            findings += launched
    except KeyboardInterrupt:
        say("interrupted")
        return STOPPED
    print(verdict(findings))
    return FAILED if has_failed else VERIFIED
