"""Exit codes of programs and scripts, and the error that ends a script with one."""

from typing import Iterable

VERIFIED, WRONG_RESULT, BAD_USAGE, FAILED, STOPPED, UNAVAILABLE = 0, 1, 2, 3, 75, 77
UNDECIDED = 4  # of scripts that compare: there is not enough to decide
SICK = 5  # of `quartet nodes --this`: a node that should run no jobs
WORST_FIRST = (FAILED, WRONG_RESULT, BAD_USAGE, STOPPED, UNAVAILABLE, VERIFIED)


class ScriptError(Exception):
    """What is wrong (why), what to do; `code` is the exit code of a script that it ends."""

    def __init__(self, message: str, code: int = BAD_USAGE):
        super().__init__(message)
        self.code = code


def worst(codes: Iterable[int]) -> int:
    """By the contract's precedence; an unknown code counts as FAILED."""
    known = {code if code in WORST_FIRST else FAILED for code in codes}
    return next((code for code in WORST_FIRST if code in known), VERIFIED)
