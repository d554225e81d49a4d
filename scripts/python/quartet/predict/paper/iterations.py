"""The paper's iterative solver: each iteration is its computation, a constant time for round trips through
remote queues and for starting a distributed step on every task, and p to every worker."""

from quartet.predict.paper.program import Constant, Constants, Program, Setting, grid
from quartet.predict.paper.store_and_forward import seconds_per_byte
from quartet.predict.rates import Values

ITERATIONS = 500
ROUND_TRIPS = "round_trips"
UNPRINTED_SIZE = 32768  # beside the rate; 16384 was run, too


def _seconds(values: Values, constants: Constants, setting: Setting, workers: int) -> float:
    reading = 8.0 * setting.size**2 / workers / values["memory_bytes_per_second"]
    # The pieces of p to the reducer, and p to each worker, one after the other.
    vectors = (workers + 2) * 8.0 * setting.size * seconds_per_byte(values, "device")
    return ITERATIONS * (reading + constants[ROUND_TRIPS] + vectors)


def RemoteQueues() -> Program:
    return Program(_seconds, {ROUND_TRIPS: Constant("round trips of an iteration", "ms", 1e-3,
                                                    grid(2.0, 14.0, 0.25, 1e-3))},
                   "A result: one constant, and each machine is predicted from the others",
                   sizes={"GFLOP/s": UNPRINTED_SIZE}, is_general=True)
