"""Simulated points beside what the model predicts, in 80 columns."""

import textwrap
from dataclasses import dataclass
from typing import Sequence

from quartet.predict.machine import Machine, Prediction
from quartet.text import WIDTH, aligned, rate, widths_of

HEADINGS = ("ranks", "nodes", "seconds", "rate", "predicted", "off", "took")
SAID = ("Simulated: messages took what SimGrid's model of the machine's network says, with this MPI's "
        "algorithms; operations took what the machine's rates say. Predicted: by formulas from the same "
        "rates. Neither was measured. Off: of the prediction, by the simulation. Took: seconds of this "
        "machine.")


@dataclass(frozen=True)
class Point:
    prediction: Prediction
    seconds: float  # simulated
    rate: float
    took: float  # real

    @property
    def off(self) -> float:
        return self.prediction.rate / self.rate - 1


def render(title: str, points: Sequence[Point]) -> str:
    rows = [(str(point.prediction.work.ranks), str(point.prediction.nodes), f"{point.seconds:.3g}",
             rate(point.rate), rate(point.prediction.rate), f"{point.off:+.1%}", f"{point.took:.0f}")
            for point in points]
    widths = widths_of([HEADINGS, *rows])
    lines = textwrap.wrap(title, WIDTH) + ["", *(aligned(row, widths, left=()) for row in (HEADINGS, *rows))]
    return "\n".join(lines) + "\n"


def title_of(machine: Machine, point: Point, size: str, collectives: str) -> str:
    work = point.prediction.work
    options = ", ".join(f"{name} {value}" for name, value in work.options.items() if value)
    return (f"{work.kernel.name} {work.formulation} over {work.transport} on {machine.name}, size {size}, "
            f"{options}; collectives of {collectives}: {work.kernel.unit}, simulated")


def closing() -> str:
    return "\n".join(textwrap.wrap(SAID, WIDTH)) + "\n"
