"""How often invented histories raise an alarm, and how often a step is found; a program for the Python that has Otava.

    history_simulation.py HISTORIES LAUNCHES [STEP]

A history has 4 nodes and 8 rows, each with noise of 2 to 5% (Student's t with 4 degrees of freedom), which resembles that
of the launch before (0.2 of it). STEP is a share by which all rows of a node become slower in the middle. Prints the share
of histories with any change, and of rows in which the step was found within a tenth of the history."""

import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "python"))
from quartet.history import changes
from quartet.history.store import Series

NODES, ROWS, RESEMBLING, FREEDOM = 4, 8, 0.2, 4


def noise(source, launches, spread):
    """Of the logarithm of a rate."""
    values, state = [], 0.0
    for _ in range(launches):
        heavy = source.gauss(0, 1) / math.sqrt(source.gammavariate(FREEDOM / 2, 2) / FREEDOM)
        heavy *= math.sqrt((FREEDOM - 2) / FREEDOM)
        state = RESEMBLING * state + math.sqrt(1 - RESEMBLING**2) * heavy
        values.append(spread * state)
    return values


def history(source, launches, step):
    times = tuple(float(at) for at in range(launches))
    found = []
    for node in range(NODES):
        for row in range(ROWS):
            rates = [100 * math.exp(value) * (1 - step * (at >= launches // 2 and node == 0))
                     for at, value in enumerate(noise(source, launches, source.uniform(0.02, 0.05)))]
            found.append(Series(f"n{node}", f"row{row}", "GFLOP/s", "kind", times, tuple(rates)))
    return found


def main(histories, launches, step):
    alarms = hits = 0
    for seed in range(histories):
        found = changes.find(history(random.Random(seed), launches, step))
        other = [change for change in found if not step or change.series.node != "n0"
                 or abs(change.place - launches // 2) > launches / 10]
        alarms += bool(other)
        hits += len({change.series for change in found} - {change.series for change in other})
    print(f"alarms {alarms} of {histories}; found {hits} of {histories * ROWS if step else 0}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 0.0)
