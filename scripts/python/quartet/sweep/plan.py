"""The plan of a sweep. A file, or the command line, has blocks with lists of factors; a block becomes a configuration
for each combination of them."""

import itertools
import json
import math
import re
import subprocess
import textwrap
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

from quartet import schema
from quartet.exit_codes import ScriptError
from quartet.files import FileProblem, read_json, reason_of
from quartet.kernels import KERNELS, Reducers
from quartet.launch import options_of
from quartet.machine import MOST_RANKS
from quartet.paths import SWEEPS
from quartet.results import OWN_FORMULATIONS, whole_number
from quartet.sizes import GROWTH, grow, points, written
from quartet.terminal import printable
from quartet.text import counted, one_of, suggestion
from quartet.units import MIB

PLAN_VERSION = 1
MOST_LAUNCHES = 100_000  # in all
NOTABLE = 1e-3  # change of the work by rounding a size, from which on there is a note
SECONDS = 60  # that `PROGRAM --version` may take

# Lists that a block may have: all their combinations are measured.
FACTORS = {
    "kernels": "names of kernels",
    "sizes": 'as the program takes them: "8192", "2^24", "2:128"',
    "ranks": 'of a job: numbers, or "1:cores", which doubles from 1 to the cores of this machine',
    "workers": "instead of ranks: those that compute, without reducers",
    "nodes": 'to be spread over evenly: numbers, or "1:8", which doubles (as few as hold the ranks)',
    "ranks_per_node": 'instead of ranks, with nodes: numbers, "cores", "sockets" or "gpus" (a data flow\'s '
                      "reducers come on top of gpus)",
    "formulations": "native, dataflow, library (native)",
    "transports": "auto, mpi, shm and so on (auto)",
    "devices": "host, cuda (host)", "threads": "of a rank (1)"}
# Other keys of a block.
SETTINGS = {
    "reducers": "of the data flow (1)",
    "scaling": '"strong": the same size; "weak": the size is for the fewest workers and grows with '
               'them; "none" (the default)',
    "arguments": "more flags for the program", "title": "what the table calls it",
    "launches": "of each configuration (the file's, or 1)"}
BLOCK_KEYS = {*FACTORS, *SETTINGS}
FILE_KEYS = {"name", "launches", "seed", "blocks"}
KNOWN = {"kernels": tuple(KERNELS), "formulations": OWN_FORMULATIONS, "devices": ("host", "cuda", "auto")}
COUNTS = ("ranks", "workers", "ranks_per_node")  # a block has one of these


class SpecError(ScriptError):
    """A sweep that is not valid: what is wrong (why), what to do."""


def keys_help() -> str:
    """Explains the keys of a file, in paragraphs for --help."""
    about = (f"A file has {', '.join(sorted(FILE_KEYS))}. A block has lists: {', '.join(FACTORS)} "
             'as above. A member may be a program\'s own list ("mpi,shm": one launch). All '
             "combinations of a block's lists are measured. Its other keys, with defaults:")
    width = max(map(len, SETTINGS)) + 6
    return "\n".join([textwrap.fill(about, 80), "", *(
        textwrap.fill(meaning, 80, initial_indent=f"    {name}".ljust(width),
                      subsequent_indent=" " * width) for name, meaning in SETTINGS.items())])


def read_spec(path: Path) -> dict[str, Any]:
    """The sweep in a file. Raises SpecError."""
    try:
        return checked_spec(read_json(path, MIB), str(path))
    except (FileNotFoundError, FileProblem) as error:
        why = str(error) if isinstance(error, FileProblem) else reason_of(error)
        meant = suggestion(path.name, (file.stem for file in sorted(SWEEPS.glob("*.json"))))
        raise SpecError(f"{path}: cannot be read ({why}){meant}: give a sweep in JSON") from None


def checked_spec(spec: Any, where: str) -> dict[str, Any]:
    """The sweep with a valid name, if it follows its schema. Raises SpecError."""
    blocks = spec.get("blocks") if isinstance(spec, dict) else None
    for there, table, keys in ((where, spec, FILE_KEYS), *((f"{where}, block {number}", block, BLOCK_KEYS)
                                                          for number, block in enumerate(blocks or (), 1))):
        unknown = sorted(table.keys() - keys) if isinstance(table, dict) else []
        if unknown:
            raise SpecError(f"{there}: unknown key '{unknown[0]:.60}' (known: {', '.join(sorted(keys))})"
                            f"{suggestion(unknown[0], keys)}: correct its name")
    problem = schema.problem("blocks", spec)
    if problem:
        raise SpecError(f"{where}: {problem}: see quartet sweep --help")
    return {**spec, "name": re.sub(r"[^A-Za-z0-9.-]+", "_", str(spec.get("name", "sweep")))[:60].lstrip(".") or "sweep"}


def counts_of(values: list[Any], known: dict[str, int], where: str, what: str = "ranks") -> list[int]:
    """Reads counts of ranks or nodes: numbers, and "a:b", which doubles from a and ends with b. Each may be one of the
    `known` words, as "cores". If such a b is below a, a is the only count: a data flow needs two ranks."""
    counts: list[int] = []
    for value in values:
        ends = [known.get(part, whole_number(part) or 0) for part in str(value).split(":")]
        is_falling = ends[0] > ends[-1] and str(value).replace(":", "").isdigit()
        if is_falling or len(ends) > 2 or min(ends) < 1 or max(ends) > MOST_RANKS:
            words = "".join(f', "{word}"' for word, count in known.items() if count)
            raise SpecError(f"{where}: {what} '{str(value):.60}': write a number{words} or \"1:8\"")
        first, last = ends[0], ends[-1]
        counts += [first * 2**power for power in range(64) if first * 2**power < last]
        counts.append(max(first, last))
    return list(dict.fromkeys(counts))


def version_of(program: Path) -> str:
    """A program's own version line. Raises SpecError."""
    try:
        done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True, errors="replace", check=True, timeout=SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise SpecError(f"{program} cannot be run ({reason_of(error)}): build it first (make build)") from None
    return printable(done.stdout.strip())


@dataclass(frozen=True)
class Configuration:
    """The program, size, ranks and flags of a launch."""

    kernel: str
    size: str
    ranks: int
    formulation: str
    transport: str
    device: str
    threads: int
    arguments: tuple[str, ...] = ()
    launches: int = 1
    nodes: Optional[int] = None  # None: as few as hold the ranks
    hosts: tuple[str, ...] = ()  # these nodes; empty: any

    @property
    def title(self) -> str:
        factors = (self.kernel, self.formulation, self.device, self.transport, self.size)
        where = " and ".join(self.hosts) or (counted(self.nodes, "node") if self.nodes else "")
        return f"{' '.join(factors)} on {counted(self.ranks, 'rank')}" + (f" of {where}" if where else "")

    def command_line(self) -> tuple[str, ...]:
        return ("--device", self.device, "--formulation", self.formulation, "--transport",
                self.transport, KERNELS[self.kernel].size_flag, self.size,
                "--threads", str(self.threads), *self.arguments)


@dataclass(frozen=True)
class Block:
    """Configurations that belong together in the table."""

    title: str
    scaling: str
    members: tuple[int, ...]  # numbers of configurations


@dataclass(frozen=True)
class Plan:
    """All that is measured, and the order."""

    name: str
    seed: int
    programs: dict[str, str]  # the version line of each
    blocks: tuple[Block, ...]
    configurations: tuple[Configuration, ...]
    notes: tuple[str, ...] = ()  # sizes that were rounded

    def as_json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(json.dumps({"plan_version": PLAN_VERSION, **asdict(self)}))
        for one in data["configurations"]:  # keys that were not given are left out
            for key in ("nodes", "hosts"):
                if not one[key]:
                    del one[key]
        return data

    @staticmethod
    def problem(data: Any) -> str:
        """Why this plan cannot be run; empty if it can. Its programs must be kernels."""
        if not isinstance(data, dict) or data.get("plan_version") != PLAN_VERSION:
            return f"its version is not {PLAN_VERSION}"
        problem = schema.problem("sweep", data)
        if problem:
            return problem
        kernels = {one["kernel"] for one in data["configurations"]}
        if not kernels <= data["programs"].keys() <= KERNELS.keys():
            return "a program is no kernel, or has no version"
        count = len(data["configurations"])
        is_whole = all(place < count for block in data["blocks"] for place in block["members"])
        return "" if is_whole else f"a block has more than the {count} configurations"

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Plan":
        blocks = tuple(Block(block["title"], block["scaling"], tuple(block["members"])) for block in data["blocks"])
        configurations = tuple(
            Configuration(**{**item, "arguments": tuple(item["arguments"]), "hosts": tuple(item.get("hosts", ()))})
            for item in data["configurations"])
        return Plan(data["name"], data["seed"], data["programs"], blocks, configurations, tuple(data["notes"]))


@dataclass
class Draft:
    """A plan that is being made. A configuration that several blocks have is measured once."""

    cores: int  # of a node, like sockets and gpus
    sockets: int = 1
    gpus: int = 0
    blocks: list[Block] = field(default_factory=list)
    configurations: list[Configuration] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _numbers: dict[Configuration, int] = field(default_factory=dict)

    def number_of(self, wanted: Configuration) -> int:
        number = self._numbers.setdefault(replace(wanted, launches=1), len(self.configurations))
        if number == len(self.configurations):
            self.configurations.append(wanted)
        elif wanted.launches > self.configurations[number].launches:
            self.configurations[number] = wanted
        return number


def add_blocks(draft: Draft, spec: Any, where: str, launches: Optional[int] = None) -> None:
    """Adds the configurations of every block of a sweep. `launches` overrides the number in the file."""
    spec = checked_spec(spec, where)
    for number, block in enumerate(spec["blocks"], 1):
        wanted = launches or block.get("launches", spec.get("launches", 1))
        _add_block(draft, block, wanted, f"{where}, block {number}")


def _add_block(draft: Draft, block: dict[str, Any], launches: int, where: str) -> None:
    def words(key: str, default: str) -> list[str]:
        return [str(value) for value in block.get(key, [default])]

    for key, known in KNOWN.items():
        for value in ",".join(words(key, known[0])).split(","):
            if value not in known:
                raise SpecError(f"{where}: {key[:-1]} '{value:.60}' ({one_of(value, known)})")
    if sum(key in block for key in COUNTS) != 1:
        raise SpecError(f"{where}: give either ranks or workers, or nodes and ranks_per_node (one of them "
                        "decides the others)")
    if "ranks_per_node" in block and "nodes" not in block:
        raise SpecError(f"{where}: ranks_per_node without nodes: say on how many")
    scaling, reducers = block.get("scaling", "none"), block.get("reducers", 1)
    more = tuple(map(str, block.get("arguments", ())))
    nodes = counts_of(block["nodes"], {}, where, "nodes") if "nodes" in block else [None]
    [(key, values)] = [(key, block[key]) for key in COUNTS if key in block]
    of_workers = key == "workers"
    lists = (words("kernels", ""), words("sizes", ""), words("formulations", "native"), words("transports", "auto"),
             words("devices", "host"), block.get("threads", [1]))
    if math.prod(map(len, (*lists, nodes, values))) * launches > MOST_LAUNCHES:
        raise SpecError(f"{where}: more than {MOST_LAUNCHES} launches: plan fewer")
    members: list[int] = []
    for kernel, size, formulation, transport, device, threads in itertools.product(*lists):
        kind = KERNELS[kernel].reducers
        is_flow = formulation == "dataflow" and kind is not Reducers.NONE
        beside = (reducers if kind is Reducers.CHOSEN else 1) if is_flow else 0  # ranks beside the workers
        flags = ("--reducers", str(reducers)) if is_flow and kind is Reducers.CHOSEN else ()
        if of_workers and ("," in formulation or kind is Reducers.NONE):
            others = " and ".join(name for name, each in KERNELS.items() if each.reducers is Reducers.NONE)
            raise SpecError(f"{where}: workers need kernels other than {others} and one "
                            "formulation a launch (others have other roles): give ranks")
        places = [(count + beside if of_workers or (is_flow and on_top) else count, node)
                  for count, node, on_top in _counts(draft, key, values, nodes, threads, where)]
        least = max(beside + 1, KERNELS[kernel].least_ranks)
        placed = [(ranks, node) for ranks, node in places if ranks >= least and (node or 1) <= ranks]
        if any(ranks < least for ranks, _ in places):
            draft.notes.append(f"{kernel} {formulation} on fewer than {least} ranks is left out")
        if any(ranks >= least and (node or 1) > ranks for ranks, node in places):
            draft.notes.append(f"{kernel} {formulation} on fewer ranks than nodes is left out")
        for ranks, node in placed:
            one = Configuration(kernel, size, ranks, formulation, transport, device, threads, more + flags,
                                launches, node)
            if scaling == "weak":
                one = _weak(draft, one, ranks - beside, min(ranks for ranks, _ in placed) - beside, where)
            members.append(draft.number_of(one))
    if not members:
        raise SpecError(f"{where}: no ranks are left (stream takes 2, a data flow one beside its reducers): give more")
    title = block.get("title") or f"{', '.join(map(str, block['kernels']))}, scaling: {scaling}"
    draft.blocks.append(Block(str(title), scaling, tuple(dict.fromkeys(members))))
    if sum(one.launches for one in draft.configurations) > MOST_LAUNCHES:
        raise SpecError(f"{where}: more than {MOST_LAUNCHES} launches in all: plan fewer")


def _counts(draft: Draft, key: str, values: list[Any], nodes: list[Any], threads: int, where: str
            ) -> list[tuple[int, Optional[int], bool]]:
    """Counts of ranks or workers, each with its nodes, and whether reducers are added to it."""
    if key != "ranks_per_node":
        return [(count, node, False) for node in nodes
                for count in counts_of(values, {"cores": draft.cores}, where, key)]
    known = {"cores": max(1, draft.cores // threads), "sockets": draft.sockets, "gpus": draft.gpus}
    return [(each * node, node, value == "gpus") for node in nodes for value in values
            for each in counts_of([value], known, where, key)]


def _weak(draft: Draft, one: Configuration, workers: int, base: int, where: str) -> Configuration:
    """The configuration with the size that gives each worker the work that it has on `base` workers."""
    growth = GROWTH.get(one.kernel)
    if not growth or "," in one.formulation:
        *most, last = GROWTH
        raise SpecError(f"{where}: no weak scaling of {one.kernel} {one.formulation} (it "
                        f"needs {', '.join(most)} or {last}, and one formulation a launch)")
    try:
        grown = grow(growth, points(one.size), workers, base, options_of(one.arguments))
    except ValueError as error:
        raise SpecError(f"{where}: {error}") from None
    if abs(grown.work) > NOTABLE:
        draft.notes.append(f"{one.kernel} on {workers} workers: n {grown.size} in place of "
                           f"{grown.exact:.1f} (work per worker {grown.work:+.1%})")
    return replace(one, size=written(grown.size, one.size))
