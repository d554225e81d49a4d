"""Which all-to-all Open MPI takes: by the number of ranks, whatever the sizes, unless a job's environment says."""

from enum import Enum
from typing import Mapping, Optional

# Numbers of ranks, from and below, on which MPI_Alltoallv exchanges in pairs (4.1 and 5.0,
# ompi/mca/coll/tuned/coll_tuned_decision_fixed.c).
IN_PAIRS = ((2, 4), (64, 128), (256, 1024))
PARAMETER = "OMPI_MCA_coll_tuned_"  # ompi_info --param coll tuned --level 9
YES = ("1", "true", "t", "yes", "y", "enabled")


class AllToAll(Enum):
    AT_ONCE = "at once"  # all messages
    IN_PAIRS = "in pairs"  # with one rank after the other


def told(environment: Mapping[str, str]) -> Optional[AllToAll]:
    """The algorithm that a job's variables name; None if the number of ranks decides."""
    if environment.get(f"{PARAMETER}use_dynamic_rules", "").lower() not in YES:
        return None
    return {"1": AllToAll.AT_ONCE, "basic_linear": AllToAll.AT_ONCE, "2": AllToAll.IN_PAIRS,
            "pairwise": AllToAll.IN_PAIRS}.get(environment.get(f"{PARAMETER}alltoallv_algorithm", ""))


def all_to_all(ranks: int, as_told: Optional[AllToAll]) -> AllToAll:
    """The one it takes."""
    is_in_pairs = any(least <= ranks < most for least, most in IN_PAIRS)
    return as_told or (AllToAll.IN_PAIRS if is_in_pairs else AllToAll.AT_ONCE)
