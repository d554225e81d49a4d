"""Why rows are not to be trusted, in the words of those who read them."""

import re

from quartet.results import Case
from quartet.text import counted, size, wrapped

MOST = 3  # that a short table explains
ABOVE_LIMIT = "above_limit"
NO_CAUSE = "its document does not say why"


def short_name(case: Case) -> str:
    """ "cg native shm full 4096" for "cg/native/host/shm/laplace/full/classic/n:4096/...": a pair's ranks are left
    out."""
    name = case.name
    return " ".join((name.kernel, name.formulation, name.transport, *name.words, size(name.size)))


def crowding(case: Case) -> str:
    """Says how many threads ran on how many cores, if they were more: nobody else need have disturbed them."""
    for warning in case.context.get("quartet", {}).get("warnings", []):
        found = re.search(r"([0-9]+ x [0-9]+ threads share [0-9]+ cores?)", warning)
        if found:
            return found[1]
    return ""


def cause(case: Case) -> str:
    """Why a distrusted row is so. That it is also above its limit is no cause: its rate is in doubt."""
    texts = [text for kind, text in case.flags.items() if text and kind != ABOVE_LIMIT]
    return "; ".join(filter(None, [crowding(case), *texts])) or NO_CAUSE


def lines(cases: list[Case], is_short: bool) -> list[str]:
    """What stands below a table of rows that are distrusted, each cause once."""
    causes: dict[str, list[str]] = {}
    for case in cases:
        if case.is_distrusted:
            causes.setdefault(cause(case), []).append(short_name(case))
    if not causes:
        return []
    found = wrapped("?", "in doubt, not to be quoted:")
    shown = list(causes.items())[:MOST] if is_short else list(causes.items())
    for text, names in shown:
        whose = names[0] + (f" and {counted(len(names) - 1, 'more row')}" if len(names) > 1 else "")
        found += wrapped("", f"{whose}: {text}")
    left = sum(map(len, causes.values())) - sum(len(names) for _, names in shown)
    return found + (wrapped("", f"and {counted(left, 'more row')}: --all says why") if left else [])
