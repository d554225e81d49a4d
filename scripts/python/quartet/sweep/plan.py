"""The plan of a sweep: blocks of factors, multiplied out into configurations of one launch each.

What a block says is in spec.py."""

import itertools
import json
import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Optional

from quartet import schema
from quartet.kernels import KERNELS, Reducers
from quartet.launch import options_of
from quartet.results import OWN_FORMULATIONS
from quartet.sizes import GROWTH, grow, points, written
from quartet.sweep.spec import (
    BLOCK_KEYS,
    SCALINGS,
    SpecError,
    argument,
    counts_of,
    listed,
    positive,
    shown,
    with_known_keys,
    word,
    words,
)
from quartet.text import counted, one_of

PLAN_VERSION = 1
MOST_LAUNCHES = 100_000  # in all
NOTABLE = 1e-3  # of the work, when a size is rounded
DEVICES = ("host", "cuda", "auto")
KNOWN = {"kernels": tuple(KERNELS), "formulations": OWN_FORMULATIONS, "devices": DEVICES}
COUNTS = ("ranks", "workers", "ranks_per_node")  # a block has one of these


@dataclass(frozen=True)
class Configuration:
    """What one launch runs."""

    kernel: str
    size: str
    ranks: int
    formulation: str
    transport: str
    device: str
    threads: int
    arguments: tuple[str, ...] = ()
    launches: int = 1
    nodes: Optional[int] = None  # that were asked for; None: as few as hold the ranks
    hosts: tuple[str, ...] = ()  # that were asked for

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
    """Everything that decides what is measured, and in which order."""

    name: str
    seed: int
    programs: dict[str, str]  # what each program says that it is
    blocks: tuple[Block, ...]
    configurations: tuple[Configuration, ...]
    notes: tuple[str, ...] = ()  # sizes that were rounded

    def as_json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(json.dumps({"plan_version": PLAN_VERSION, **asdict(self)}))
        for one in data["configurations"]:  # what was not asked for is left out
            for key in ("nodes", "hosts"):
                if not one[key]:
                    del one[key]
        return data

    @staticmethod
    def problem(data: object) -> str:
        """The reason why this is no plan that can be run; empty if it is one. A plan names only kernels."""
        problem = schema.problem("sweep", data)
        if problem or not isinstance(data, dict):
            return problem
        unknown = {one["kernel"] for one in data["configurations"]} | data["programs"].keys()
        if unknown - KERNELS.keys():
            return f"no kernel is called {min(unknown - KERNELS.keys())!r:.40}"
        count = len(data["configurations"])
        places = {place for block in data["blocks"] for place in block["members"]}
        if max(places) >= count:
            return f"a block has configuration {max(places)} of {count}"
        left = {one["kernel"] for one in data["configurations"]} - data["programs"].keys()
        return f"no version of {min(left)}" if left else ""

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Plan":
        blocks = tuple(Block(block["title"], block["scaling"], tuple(block["members"])) for block in data["blocks"])
        configurations = tuple(
            Configuration(**{**item, "arguments": tuple(item["arguments"]), "hosts": tuple(item.get("hosts", ()))})
            for item in data["configurations"])
        return Plan(data["name"], data["seed"], data["programs"], blocks, configurations, tuple(data["notes"]))


@dataclass
class Draft:
    """A plan in the making. A configuration that several blocks name is measured once."""

    cores: int  # of a node, as the sockets and GPUs
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


def add_blocks(draft: Draft, spec: dict[str, Any], where: str, launches: Optional[int] = None) -> None:
    """Multiplies out every block of a file. `launches` overrides what it says of them."""
    blocks = spec.get("blocks")
    if not isinstance(blocks, list) or not blocks:
        raise SpecError(f"{where}: no blocks (nothing would be measured): give at least one")
    for number, block in enumerate(blocks, 1):
        there = f"{where}, block {number}"
        with_known_keys(block, BLOCK_KEYS, there)
        wanted = block.get("launches", spec.get("launches", 1)) if launches is None else launches
        _add_block(draft, block, positive(wanted, f"{there}: launches", MOST_LAUNCHES), there)


def _add_block(draft: Draft, block: dict[str, Any], launches: int, where: str) -> None:
    scaling = block.get("scaling", "none")
    if scaling not in SCALINGS:
        raise SpecError(f"{where}: scaling {shown(scaling)} ({one_of(str(scaling), SCALINGS)})")
    for key, known in KNOWN.items():
        for value in ",".join(words(block, key, [next(iter(known))], where)).split(","):
            if value not in known:
                raise SpecError(f"{where}: {key[:-1]} '{value:.60}' ({one_of(value, known)})")
    if sum(key in block for key in COUNTS) != 1:
        raise SpecError(f"{where}: give either ranks or workers, or nodes and ranks_per_node (one of them "
                        "decides the others)")
    if "ranks_per_node" in block and "nodes" not in block:
        raise SpecError(f"{where}: ranks_per_node without nodes: say on how many")
    reducers = positive(block.get("reducers", 1), f"{where}: reducers")
    more = tuple(argument(value, f"{where}: arguments")
                 for value in listed(block.get("arguments"), f"{where}: arguments", []))
    nodes = counts_of(block["nodes"], {}, where, "nodes") if "nodes" in block else [None]
    [(key, values)] = [(key, block[key]) for key in COUNTS if key in block]
    members: list[int] = []
    lists = (words(block, "kernels", [], where), words(block, "sizes", [], where),
             words(block, "formulations", ["native"], where),
             words(block, "transports", ["auto"], where), words(block, "devices", ["host"], where),
             listed(block.get("threads"), f"{where}: threads", [1]))
    if math.prod(map(len, (*lists, nodes, listed(values, f"{where}: {key}", [])))) * launches > MOST_LAUNCHES:
        raise SpecError(f"{where}: more than {MOST_LAUNCHES} launches: plan fewer")
    for kernel, size, formulation, transport, device, threads in itertools.product(*lists):
        roles = _Roles(kernel, formulation, reducers, where)
        threads = positive(threads, f"{where}: threads")
        places = [_Place(*roles.place(count, key == "workers" or on_top and roles.collecting > 0), node)
                  for count, node, on_top in _counts(draft, key, values, nodes, threads, where)]
        placed = [place for place in places if place.workers > 0 and (place.nodes or 1) <= place.ranks]
        if any(place.workers <= 0 for place in places):
            draft.notes.append(f"{kernel} {formulation} on {roles.collecting} ranks or fewer is "
                               "left out (no worker would be left)")
        if any(place.workers > 0 and (place.nodes or 1) > place.ranks for place in places):
            draft.notes.append(f"{kernel} {formulation} on fewer ranks than nodes is left out")
        for place in placed:
            one = Configuration(kernel, size, place.ranks, formulation, transport, device, threads,
                                more + roles.arguments, launches, place.nodes)
            if scaling == "weak":
                one = _weak(draft, one, place.workers, min(each.workers for each in placed), roles)
            members.append(draft.number_of(one))
    if not members:
        raise SpecError(f"{where}: no ranks are left (a data flow has a worker): give more")
    title = block.get("title") or f"{', '.join(block['kernels'])}, scaling: {scaling}"
    draft.blocks.append(Block(word(title, f"{where}: title"), scaling, tuple(dict.fromkeys(members))))
    if sum(one.launches for one in draft.configurations) > MOST_LAUNCHES:
        raise SpecError(f"{where}: more than {MOST_LAUNCHES} launches in all: plan fewer")


@dataclass(frozen=True)
class _Place:
    """How many ranks, how many of them compute, and on how many nodes."""

    ranks: int
    workers: int
    nodes: Optional[int]


def _counts(draft: Draft, key: str, values: Any, nodes: list[Any], threads: int, where: str
            ) -> list[tuple[int, Optional[int], bool]]:
    """The counts of ranks or workers, with the nodes; and whether reducers come on top."""
    if key != "ranks_per_node":
        return [(count, node, False) for node in nodes
                for count in counts_of(values, {"cores": draft.cores}, where, key)]
    known = {"cores": max(1, draft.cores // threads), "sockets": draft.sockets, "gpus": draft.gpus}
    return [(each * node, node, value == "gpus") for node in nodes for value in values
            for each in counts_of([value], known, where, key)]


@dataclass(frozen=True)
class _Roles:
    """How many of a configuration's ranks compute."""

    kernel: str
    formulation: str
    reducers: int
    where: str

    @property
    def collecting(self) -> int:
        """Ranks beside the workers."""
        if self.formulation != "dataflow" or self._kind is Reducers.NONE:
            return 0
        return self.reducers if self._kind is Reducers.CHOSEN else 1

    @property
    def _kind(self) -> Reducers:
        return KERNELS[self.kernel].reducers

    @property
    def arguments(self) -> tuple[str, ...]:
        """Flags for a program that would otherwise choose its reducers."""
        has_choice = self._kind is Reducers.CHOSEN and self.formulation == "dataflow"
        return ("--reducers", str(self.reducers)) if has_choice else ()

    def place(self, count: int, counts_workers: bool) -> tuple[int, int]:
        """Ranks and workers."""
        if counts_workers:
            if "," in self.formulation or self._kind is Reducers.NONE:
                others = " and ".join(name for name, kernel in KERNELS.items() if kernel.reducers is Reducers.NONE)
                raise SpecError(f"{self.where}: workers need kernels other than {others} and one "
                                "formulation a launch (others have other roles): give ranks")
            return count + self.collecting, count
        return count, count - self.collecting


def _weak(draft: Draft, one: Configuration, workers: int, base: int, roles: _Roles) -> Configuration:
    """The configuration with the size that gives each worker what it has at `base` workers."""
    growth = GROWTH.get(one.kernel)
    if not growth or "," in one.formulation:
        *most, last = GROWTH
        raise SpecError(f"{roles.where}: no weak scaling of {one.kernel} {one.formulation} (it "
                        f"needs {', '.join(most)} or {last}, and one formulation a launch)")
    try:
        grown = grow(growth, points(one.size), workers, base, options_of(one.arguments))
    except ValueError as error:
        raise SpecError(f"{roles.where}: {error}") from None
    if abs(grown.work) > NOTABLE:
        draft.notes.append(f"{one.kernel} on {workers} workers: n {grown.size} in place of "
                           f"{grown.exact:.1f} (work per worker {grown.work:+.1%})")
    return replace(one, size=written(grown.size, one.size))
