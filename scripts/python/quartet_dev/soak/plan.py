"""The kind of each round, from the seed alone, so that any round can be repeated by itself."""

import random
from dataclasses import dataclass
from typing import Callable, Sequence

from quartet_dev.soak.room import Room


@dataclass(frozen=True)
class Kind:
    """One way to disturb jobs."""

    name: str
    share: int  # rounds of it in a cycle
    disturb: Callable[[Room], None]  # raises Fault where the suite fails
    needs_mounts: bool = False


def kind_of(seed: int, number: int, kinds: Sequence[Kind]) -> Kind:
    """The kind of a round. Each cycle has all kinds, in an order of its own."""
    deck = [kind for kind in kinds for _ in range(kind.share)]
    cycle, place = divmod(number, len(deck))
    random.Random(f"{seed} cycle {cycle}").shuffle(deck)
    return deck[place]


def chances_of(seed: int, number: int, kind: Kind) -> random.Random:
    """Returns what a round draws from, whatever other kinds are tried."""
    return random.Random(f"{seed} {kind.name} {number}")
