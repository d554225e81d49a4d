"""What `make limits` launches to compare.

A match is a few launches that are compared with each other; in each round they follow one another.
Two cores are used in two ways: two ranks of one thread each, and one rank of two threads. FFTW's own
transform over MPI has one thread a rank, so both ways are compared with its two ranks."""

from dataclasses import dataclass
from typing import Optional

from quartet.limits.goals import Goal
from quartet.peers.hpcc_fft import MpiFft


@dataclass(frozen=True)
class Setup:
    ranks: int
    threads: int  # of a rank

    def __str__(self) -> str:
        return (f"{self.ranks} rank{'s' * (self.ranks > 1)} x "
                f"{self.threads} thread{'s' * (self.threads > 1)}")

    @property
    def short(self) -> str:
        return f"{self.ranks}x{self.threads}"


RANKS, THREADS = Setup(2, 1), Setup(1, 2)


@dataclass(frozen=True)
class Side:
    """One of a match's launches."""

    name: str
    setup: Setup
    arguments: tuple[str, ...]
    beforehand: str = ""  # why a launch comes before all rounds: what it leaves, they need
    peer: Optional[MpiFft] = None  # another suite's program, in place of ours


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


def side(name: str, setup: Setup, arguments: str, *more: str) -> Side:
    """`arguments` are words; `more` may have spaces in them."""
    return Side(name, setup, (*arguments.split(), *more))
