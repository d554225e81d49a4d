"""Says case by case whether the results B are faster or slower than the results A.

    quartet compare A B                  documents or folders (A,C joins two)
    quartet compare --baseline FOLDER B  with what it holds for B's machine;
                                         --update keeps B there
    quartet compare --run A B -- cg --size 4096
                                         A and B are build folders, or programs:
                                         launched in turn, 5, 10 or 20 times
                                         each, until it can decide

Each document counts as a launch. A verdict takes four launches of each side: two launches of one program
differ by more than the runs of one launch show.

B/A is a ratio of rates: above 1, B is faster. Exit codes: 0 nothing is slower; 1 a case is slower by
more than the threshold, or was right in A and is wrong or failed in B; 2 nothing can be compared;
4 nothing could be decided, the baseline has nothing of this machine, or a case looks slower and more
launches must decide. Results that are shipped
(results/measured) have one launch of a case: compared with them nothing is called faster or slower."""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.command_line import add_launcher, integer, positive_number, require_launcher, seconds
from quartet.compare import table as compare_table
from quartet.compare.pairs import Pair, ResultSet, Verdict, baseline_folder, compare, read_result_sets, replace_baseline
from quartet.exit_codes import BAD_USAGE, STOPPED, UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.launch import LocalLauncher, Outcome, quiet_job
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.results.identity import require_one_machine
from quartet.results.statistics import ERROR
from quartet.rounds import Budget, Launch, LaunchFolder, Rounds, alternating
from quartet.text import say

EXAMPLE = "quartet compare before/ after/"
TAKES_COMMAND = True  # after --
NOTHING_SLOWER, SLOWER, NOTHING_COMPARED = VERIFIED, WRONG_RESULT, BAD_USAGE
# After so many launches of each program it tries to decide. Three tests err more often than one, so each uses intervals
# that miss in 2.2%, which makes 5% for all three together (Pocock, Biometrika 64, 1977).
STAGES = (5, 10, 20)
STAGE_ERROR = 0.022
TIMEOUT = 1800  # seconds of a launch


def _paths(text: str) -> list[Path]:
    return [Path(word) for word in text.split(",")]


def _result_sets(paths: dict[str, list[Path]]) -> list[ResultSet]:
    """Raises ScriptError if a set has no results, or those of several machines."""
    sets = read_result_sets(paths)
    for each in sets:
        require_one_machine([document for _, document in each.documents], f"{each.label} has documents")
        for text in each.skipped:
            say(f"skipped {text}")
    empty = [" ".join(map(str, paths[each.label])) for each in sets if not each.samples and not each.errors]
    if empty:
        raise ScriptError(f"no results in {' nor in '.join(empty)}: name documents, or folders of them (quartet sweep "
                          "--folder makes one)")
    return sets


def compare_with_baseline(options: argparse.Namespace) -> int:
    """Compares with the baseline's results; --update replaces them by the new results if none is slower."""
    _require_paths(options, 1, "the new results")
    paths = _paths(options.paths[0])
    new, = _result_sets({"B": paths})
    there = baseline_folder(options.baseline, new)
    code = NOTHING_SLOWER if options.update else UNDECIDED
    if there.exists():
        code = _compared([there], paths, options)
    else:
        say(f"{options.baseline} has no results of this machine yet"
            + ("" if options.update else ": --update keeps these"))
    if options.update and not any(sample.undisturbed for sample in new.samples.values()):
        say("the new results are not kept, as each launch is in doubt: quiet the machine (quartet check-machine)")
        return UNDECIDED
    if options.update and code != NOTHING_SLOWER:
        say(f"{there} is left as it was: remove it to make the new results the baseline")
    elif options.update:
        replace_baseline(there, new)
        say(f"{there} holds the new results")
    return code


def program_at(path: Path, command: list[str]) -> tuple[Path, list[str]]:
    """The program and its arguments: `path` is a program, or a folder with the one that the command
    begins with. Raises ScriptError if there is none."""
    if path.is_file():
        return path, command
    name = command[0] if command else ""
    found = next((place for place in (path / "bin" / name, path / name) if place.is_file()), None)
    if not name or not found:
        raise ScriptError(f"no program {name or 'is named'} in {path}: give the command after --, as in "
                          "-- PROGRAM ARGUMENTS, and build folders (or two programs)")
    return found, command[1:]


@dataclass
class AlternatingLaunches:
    """Launches two programs alternately, in reversed order every other round: a drift affects both alike."""

    launcher: LocalLauncher
    programs: tuple[Path, Path]
    arguments: list[str]
    ranks: int
    threads: int
    folder: Path
    budget: Optional[float] = None  # seconds

    def until_decided(self, threshold: float) -> tuple[list[ResultSet], list[Pair]]:
        """Both sets of results and all pairs, after the stage that decided, or the last one."""
        rounds = Rounds(self.launcher, Budget(self.budget), TIMEOUT)
        for label in "ab":
            (self.folder / label).mkdir(parents=True, exist_ok=True)
        for done, stage in zip((0, *STAGES), STAGES):
            found = rounds.run([[self._launch(label, number) for label in alternating("ab", number)]
                                for number in range(done, stage)], _require_no_failure)
            if found.is_interrupted:
                raise KeyboardInterrupt
            sets = read_result_sets({label: [self.folder / label.lower()] for label in "AB"})
            pairs = compare(sets[0], sets[1], threshold, STAGE_ERROR)
            if found.reason:
                say(found.reason + ": more launches may decide" * any(pair.launches for pair in pairs))
            if found.reason or all(pair.is_decided or pair.verdict is Verdict.NOT_COMPARABLE for pair in pairs):
                break
            say(f"{sum(not pair.is_decided for pair in pairs)} of {len(pairs)} cases undecided after "
                f"{stage} launches of each side")
        return sets, pairs

    def _launch(self, label: str, number: int) -> Launch:
        files = LaunchFolder(self.folder / label).files(f"{number:02}")
        job = quiet_job(self.programs["ab".index(label)], self.ranks, self.threads, tuple(self.arguments),
                        files.document)
        return Launch(f"{label}{number}", str(job.program), lambda _: job, files, (label,))


def _require_no_failure(launch: Launch, outcome: Outcome) -> None:
    if outcome.exit_code not in (VERIFIED, WRONG_RESULT, STOPPED):
        raise ScriptError(f"{launch.title}: {outcome.message}", outcome.exit_code)


def compare_in_turn(options: argparse.Namespace) -> int:
    """Launches both programs in turn."""
    _require_paths(options, 2, "two build folders, and the command after --")
    found = [program_at(Path(path), options.command) for path in options.paths]
    folder = options.folder or RESULTS / "compare" / time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    require_launcher(options.launcher, folder)
    if any(folder.iterdir()):
        raise ScriptError(f"{folder} is not empty: name a new folder")
    cores = Machine.here().cores
    ranks = options.ranks or max(2, cores)
    launches = AlternatingLaunches(LocalLauncher(options.launcher), (found[0][0], found[1][0]), found[0][1],
                                   ranks, max(1, cores // ranks), folder, options.budget)
    sets, pairs = launches.until_decided(options.threshold / 100)
    say(f"documents in {folder}")
    if not pairs:
        say("no time was left to measure a case: give more by --budget")
        return UNDECIDED
    return _shown(sets, pairs, options, STAGE_ERROR)


def _require_paths(options: argparse.Namespace, count: int, what: str) -> None:
    if len(options.paths) != count:
        raise ScriptError(f"{len(options.paths)} paths, not {count} (name {what}): see --help")


def _compared(first: list[Path], second: list[Path], options: argparse.Namespace) -> int:
    sets = _result_sets({"A": first, "B": second})
    return _shown(sets, compare(sets[0], sets[1], options.threshold / 100), options)


def _shown(sets: list[ResultSet], pairs: list[Pair], options: argparse.Namespace, error: float = ERROR) -> int:
    """Prints the comparison. Returns its exit code."""
    print(compare_table.render(sets, pairs, options.threshold, error), end="")
    code = exit_code(pairs)
    if code == NOTHING_COMPARED:
        say("nothing could be compared (no case is in both and verified): see the reasons above")
    return code


def exit_code(pairs: list[Pair]) -> int:
    if any(pair.fails for pair in pairs):
        return SLOWER
    if all(pair.verdict is Verdict.NOT_COMPARABLE for pair in pairs):
        return NOTHING_COMPARED
    is_open = not any(pair.is_decided for pair in pairs) or any(pair.looks_slower for pair in pairs)
    return UNDECIDED if is_open else NOTHING_SLOWER


def percent(text: str) -> float:
    value = 0.0 if text in ("0", "0%") else positive_number(text[:-1] if text.endswith("%") else text)
    if value >= 100:
        raise argparse.ArgumentTypeError(f"'{text:.40}' is no percentage from 0 to 100")
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="what is compared, see above")
    parser.add_argument("--threshold", type=percent, default=5, metavar="PERCENT",
                        help="differences of the rate that do not matter (%(default)s)")
    parser.add_argument("--baseline", type=Path, metavar="FOLDER",
                        help="compares with the results that the folder holds")
    parser.add_argument("--update", action="store_true",
                        help="with --baseline: keeps the new results there unless something is slower or undecided")
    parser.add_argument("--run", action="store_true", help="launches A and B in turn")
    parser.add_argument("--ranks", type=integer(10**6), metavar="N",
                        help="with --run: ranks of a launch (one a core, at least 2)")
    parser.add_argument("--budget", type=seconds, metavar="SECONDS",
                        help="with --run: ends in this time; starts no round that would probably exceed it")
    parser.add_argument("--folder", type=Path,
                        help="with --run: folder of the documents (a new one in results/compare)")
    add_launcher(parser)


def run(options: argparse.Namespace) -> int:
    if options.run or options.baseline:
        return compare_in_turn(options) if options.run else compare_with_baseline(options)
    _require_paths(options, 2, "A and B")
    return _compared(_paths(options.paths[0]), _paths(options.paths[1]), options)
