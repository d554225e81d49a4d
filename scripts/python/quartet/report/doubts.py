"""What to know before a number of the page is quoted."""

from collections import Counter
from collections.abc import Iterator

from quartet.results import grouped
from quartet.results.statistics import LEAST_VALUES
from quartet.text import counted, plain_versions

from .data import Material, Result, plain_name
from .page import Doubt


def found(material: Material) -> list[Doubt]:
    """All doubts; the grave ones say that something is wrong or missing."""
    results = material.results
    damaged = [why for why in material.skipped if why not in material.strangers]
    failed = [(path, case) for path, case in material.failed if not case.is_not_run]
    not_run = [case.text for _, case in material.failed if case.is_not_run]
    doubts = [
        Doubt("Documents that could not be read", tuple(damaged), True),
        Doubt("Wrong results, left out of all charts", tuple(
            f"{result.case.text} ({', '.join(sorted(set(result.paths)))})" for result in results
            if result.verified is False), True),
        *(Doubt(f"Failed: {message}", tuple(f"{case.text} ({path})" for path, case in members), True)
          for message, members in grouped(failed, lambda item: item[1].error).items()),
        Doubt("Not run: they got no time", tuple(not_run)),
        Doubt("In doubt: not to be quoted", tuple(f"{plain_name(result)}: {result.doubts}" for result in results
                                                  if result.mark == "?")),
        Doubt("Above their limit, which is too low: quote the rate, not the fraction", tuple(
            f"{plain_name(result)}: {result.share:.0%}" for result in results if result.mark == "!"))]
    return [doubt for doubt in doubts if doubt.about] + [*_of_documents(material), *_of_rows(results)]


def _of_documents(material: Material) -> Iterator[Doubt]:
    contexts = [document["context"] for _, document in material.documents]
    if any(context.get("library_build_type") == "debug" for context in contexts):
        yield Doubt("Some documents are from a debug build: do not quote their rates.", is_grave=True)
    commits = sorted(set().union(*(result.commits for result in material.results)))
    if len(commits) > 1:
        yield Doubt("Rows of several commits stand side by side", tuple(commits))
    changed = [commit for commit in commits if commit.endswith("-dirty")]
    if changed:
        yield Doubt("Built from a changed working tree, so nobody can repeat these exactly: " + ", ".join(changed))
    marked = [result.case.text for result in material.results if result.mark]
    said = Counter(str(text) for context in contexts for text in context["quartet"].get("warnings") or []
                   if not any(f" {name} " in f" {text} ".replace(": ", " ") for name in marked))
    longest_first = sorted(material.results, key=lambda result: -len(result.case.text))
    for text, count in said.items():
        for result in longest_first if "/" in text else ():
            text = text.replace(result.case.text, plain_name(result))
        yield Doubt(f"Said by the program: {plain_versions(text)}" + f" ({count} documents)" * (count > 1))


def _of_rows(results: list[Result]) -> Iterator[Doubt]:
    of_all = f"of {counted(len(results), 'row')}"
    unchecked = sum(result.verified is None for result in results)
    if unchecked:
        yield Doubt(f"{unchecked} {of_all} were not verified.")
    short = sum(result.interval is None for result in results)
    if short:
        yield Doubt(f"{short} {of_all} have no interval: one launch, fewer than {LEAST_VALUES} runs.")
    several = sum(len(result.cases) > 1 for result in results)
    if several:
        yield Doubt(f"{several} {of_all} were launched more than once: shown is the median of the launches' medians, "
                    "and the interval spans them all.")
