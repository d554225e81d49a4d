"""What `quartet limits` launches to compare.

A match is a few launches that are compared with each other; in each round they follow one another.
Two cores are used in two ways: two ranks of one thread each, and one rank of two threads."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional, Protocol

from quartet.launch import Files, LocalLauncher, Outcome
from quartet.results import Case
from quartet_dev.limits.goals import Goal


@dataclass(frozen=True)
class LimitsFiles:
    """Where launches find and keep files, and what all of our programs are given."""

    programs: Path  # the build's
    data: Path  # folder of matrices
    plans: Path  # FFTW's measured plans
    isa: tuple[str, ...] = ()  # the flag and a set of vector instructions; empty: the programs choose


@dataclass(frozen=True)
class Setup:
    ranks: int
    threads: int  # of a rank

    def __str__(self) -> str:
        return f"{self.ranks} rank{'s' * (self.ranks > 1)} x {self.threads} thread{'s' * (self.threads > 1)}"

    @property
    def short(self) -> str:
        return f"{self.ranks}x{self.threads}"


RANKS, THREADS, ONE = Setup(2, 1), Setup(1, 2), Setup(1, 1)


class Peer(Protocol):
    """Another suite's program."""

    kind: str  # the ending of the file that it leaves

    def complete(self, launcher: LocalLauncher, ranks: int, files: Files, timeout: float) -> Outcome:
        """Runs it to its end."""

    def read(self, file: Path) -> list[Case]:
        """Reads a peer's rows from what it has left."""


@dataclass(frozen=True)
class Side:
    """One of a match's launches."""

    name: str
    setup: Setup
    arguments: tuple[str, ...]
    beforehand: str = ""  # why a launch comes before all rounds: what it leaves, they need
    peer: Optional[Peer] = None  # in place of ours
    environment: tuple[tuple[str, str], ...] = ()  # variables of the launch

    @property
    def kind(self) -> str:
        """The ending of the file that it leaves."""
        return self.peer.kind if self.peer else "json"


@dataclass(frozen=True)
class Section:
    """Goals under one heading of the table."""

    title: str
    goals: tuple[Goal, ...]


@dataclass(frozen=True)
class Match:
    kernel: str
    name: str
    sides: tuple[Side, ...]
    sections: tuple[Section, ...]
    most_rounds: Optional[int] = None  # where all say the same

    def with_arguments(self, more: tuple[str, ...]) -> "Match":
        """The same, in which our programs get these arguments as well."""
        return replace(self, sides=tuple(each if each.peer else replace(each, arguments=(*each.arguments, *more))
                                         for each in self.sides))


def side(name: str, setup: Setup, arguments: str, *more: str) -> Side:
    """`arguments` are words; `more` may have spaces in them."""
    return Side(name, setup, (*arguments.split(), *more))
