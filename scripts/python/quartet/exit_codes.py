"""Exit codes of programs and scripts, and the error that ends a script with one."""

from typing import Iterable

VERIFIED, WRONG_RESULT, BAD_USAGE, FAILED, STOPPED, UNAVAILABLE = 0, 1, 2, 3, 75, 77
UNDECIDED = 4  # of scripts that compare: too few results to decide
SICK = 5  # of `quartet nodes --this`: a node that should run no jobs
WORST_FIRST = (FAILED, WRONG_RESULT, BAD_USAGE, STOPPED, UNAVAILABLE, VERIFIED)


class ScriptError(Exception):
    """Ends a script with the exit code `code`. The message: what is wrong (why), what to do."""

    def __init__(self, message: str, code: int = BAD_USAGE):
        super().__init__(message)
        self.code = code


def worst(codes: Iterable[int]) -> int:
    """The first of WORST_FIRST among the codes; an unknown code counts as FAILED."""
    known = {code if code in WORST_FIRST else FAILED for code in codes}
    return next((code for code in WORST_FIRST if code in known), VERIFIED)
