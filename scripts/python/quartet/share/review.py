"""Whether a folder of documents would stand before a reviewer: what does not is refused by name."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quartet.compare.pairs import LEAST_LAUNCHES
from quartet.exit_codes import ScriptError
from quartet.results import Case, Collection, collect, commit, judged
from quartet.results.launches import SAME_LIMIT
from quartet.text import counted, say

MOST_NAMED = 10  # problems

Documents = list[tuple[Path, dict[str, Any]]]


def reviewed(folder: Path) -> Documents:
    """The documents of a folder. Says what a reviewer would refuse, a line for each reason. Raises ScriptError."""
    found = collect([folder])
    places: dict[str, list[str]] = {}  # of each problem
    for place, problem in _problems(found):
        places.setdefault(problem, []).append(place)
    for problem, where in list(places.items())[:MOST_NAMED]:
        others = len(set(where)) - 1
        say(f"{where[0]}{f' and {others} more' if others else ''}: {problem}")
    if places:
        more = f", of which {MOST_NAMED} are above" if len(places) > MOST_NAMED else " above"
        raise ScriptError(f"{folder} is not fit to be shared ({counted(len(places), 'reason')}{more}): mend it, or "
                          "measure again")
    return found.documents


def _problems(found: Collection) -> Iterator[tuple[str, str]]:
    """Where each is, and what."""
    for text in found.skipped:
        place, _, problem = text.partition(": ")
        yield place, problem
    rows: dict[str, list[Case]] = {}
    for (path, document), cases in zip(found.documents, judged(document for _, document in found.documents)):
        yield from ((path.name, problem) for problem in _missing(document))
        for case in cases:
            problem = _problem(case)
            if problem:
                yield f"{path.name}: {case.text}", problem
            else:
                rows.setdefault(case.text, []).append(case)
    versions = sorted({f"{document['context']['quartet']['version']} ({commit(document)})"
                       for _, document in found.documents})
    if len(versions) > 1:
        yield "the documents", f"several versions of quartet: {', '.join(versions)}"
    for text, launches in rows.items():
        yield from ((text, problem) for problem in _apart(launches))


def _missing(document: dict[str, Any]) -> list[str]:
    """Facts that another would need to repeat it."""
    context, quartet = document["context"], document["context"]["quartet"]
    places, ranks = len({place["rank"] for place in quartet["placement"]}), quartet["ranks"]
    found = {"was written while it measured": quartet.get("complete") is not True,
             "no commit": commit(document) in ("", "unknown"),
             "built from sources that no commit has": commit(document).endswith("-dirty"),
             "not a release build": context["library_build_type"] != "release",
             "nothing of the processor": not (quartet.get("system") or {}).get("processor"),
             "no device": not quartet.get("device_description"),
             f"the places of {places} of {counted(ranks, 'rank')}": places != ranks}
    return [text for text, is_so in found.items() if is_so]


def _problem(case: Case) -> str:
    """The reason why a row cannot be quoted; empty if it can be."""
    if case.error:
        return f"failed: {case.error}"
    if case.verified is not True:
        return "wrong result" if case.verified is False else "not verified"
    if case.is_distrusted or case.is_suspicious:
        return "; ".join(filter(None, case.flags.values())) or "in doubt"
    return "" if case.limit and case.fraction_of_limit else "no limit was measured beside it"


def _apart(launches: list[Case]) -> Iterator[str]:
    if len(launches) < LEAST_LAUNCHES:
        yield f"{counted(len(launches), 'launch')} (at least {LEAST_LAUNCHES})"
    if len({case.place for case in launches}) > 1:
        yield "launches on several kinds of machines, or numbers of nodes"
    limits = [case.limit["rate"] for case in launches if case.limit]
    if max(limits) > SAME_LIMIT * min(limits):
        yield f"the limits of its launches are {max(limits) / min(limits):.2f} apart"
