"""How a job's ranks are dealt to its nodes, by Slurm's words: block fills a node before the next, cyclic
deals one by one, plane=N deals N at a time, in turn, until all are dealt."""

from quartet.slurm.machine import MachineError
from quartet.text import near

PLANE = "plane="


def plane_of(order: str) -> int:
    """Returns how many ranks a node gets at a time in a plane distribution. Raises MachineError."""
    size = order[len(PLANE):]
    if not (size.isascii() and size.isdigit() and len(size) < 8 and int(size) > 0):
        raise MachineError(f"--distribution '{order:.40}' (a plane has a number of ranks): plane=2")
    return int(size)


def check_order(order: str) -> str:
    """The word, where it is one. Raises MachineError."""
    if order.startswith(PLANE):
        plane_of(order)
    elif order not in ("", "block", "cyclic"):
        raise MachineError(f"--distribution '{order:.40}' (not block, cyclic or plane=N)"
                           f"{near(order, ('block', 'cyclic'))}: name another one")
    return order


def node_of_ranks(order: str, ranks: int, nodes: int) -> list[int]:
    """The node of each rank, numbered from 0. Blocks are as even as Slurm makes them: the first nodes have
    one more."""
    if order == "block":
        least, more = divmod(ranks, nodes)
        return [node for node in range(nodes) for _ in range(least + (node < more))]
    size = plane_of(order) if order.startswith(PLANE) else 1
    return [rank // size % nodes for rank in range(ranks)]


def most_on_a_node(order: str, ranks: int, nodes: int) -> int:
    """Ranks of the fullest node, which is the first one."""
    if not order.startswith(PLANE):
        return -(-ranks // nodes)
    size = plane_of(order)
    rounds, rest = divmod(ranks, size * nodes)
    return rounds * size + min(size, rest)
