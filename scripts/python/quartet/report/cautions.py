"""Warnings at the head of the page."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Optional

from quartet.predict.expectation import Expectations
from quartet.results.statistics import LEAST_VALUES
from quartet.text import plain_versions

from .cases import Launch, Result
from .factors import grouped, label, plain_names


@dataclass(frozen=True)
class Warning:
    """A text, and the cases or documents it is about. `is_grave`: something is wrong or missing. With plain `names`
    it is folded behind them and `head`."""

    text: str
    about: tuple[str, ...] = ()
    is_grave: bool = False
    head: str = ""
    names: tuple[str, ...] = ()


def warnings(documents: list[tuple[str, dict[str, Any]]], skipped: list[str], results: list[Result],
             failures: list[Launch]) -> list[Warning]:
    """Returns all warnings, the grave ones first."""
    found = [Warning("Documents that could not be read, skipped:", tuple(skipped), True),
             Warning("Wrong results, left out of all charts:",
                     tuple(f"{result.case.text} "
                           f"({', '.join(sorted({launch.path for launch in result.launches}))})"
                           for result in results if result.verified is False), True)]
    for message, members in grouped(failures, lambda failure: failure.case.error).items():
        is_failure = not members[0].case.is_not_run
        found.append(Warning(f"{'Failed or refused' if is_failure else 'Not run'}: {message}", tuple(
            f"{failure.case.text} ({failure.path})" for failure in members), is_failure))
    plain = list(zip(results, plain_names(results)))
    above = [(result, name) for result, name in plain if result.mark == "!"]
    found.append(Warning(
        "Above their limit by more than chance. The limit is too low there: a cache helps, or memory was slower while "
        "it was measured. Quote these rates, not their fractions:",
        tuple(f"{_named(result)}: {result.fraction:.0%}" for result, _ in above), head="Above their limit",
        names=tuple(f"{name} ({result.fraction:.0%})" for result, name in above)))
    distrusted = [(result, name) for result, name in plain if result.mark == "?"]
    found.append(Warning(
        "Distrusted: these rows were disturbed or do not fit their neighbours, and measuring again did "
        "not help. They are drawn hollow or hatched, with ?: do not quote them:",
        tuple(f"{_named(result)}: {plain_versions(result.doubts)}" for result, _ in distrusted),
        head="Not to be quoted", names=tuple(name for _, name in distrusted)))
    marked = [result.case.text for result in results if result.mark]
    said = Counter(str(text) for _, document in documents
                   for text in document["context"]["quartet"].get("warnings") or []
                   if not any(f" {name} " in f" {text} ".replace(": ", " ") for name in marked))
    found = [warning for warning in found if warning.about]
    found += [Warning(f"Said by the program: {_plainly(text, plain)}" + f" ({count} documents)" * (count > 1))
              for text, count in said.items()]
    found += _about_builds(documents, results) + _about_rows(results)
    return sorted(found, key=lambda warning: not warning.is_grave)


def _plainly(text: str, plain: list[tuple[Result, str]]) -> str:
    """What a program says of its rows, with their plain names."""
    for result, name in sorted(plain, key=lambda item: -len(item[0].case.text)):
        text = text.replace(result.case.text, name)
    return plain_versions(text)


def _named(result: Result) -> str:
    return f"{result.name.kernel} {label(result)}"


def surprises(results: list[Result], expected: Optional[Expectations]) -> list[Warning]:
    """Names what was measured outside the band that the machine file gives, and what that file lacks."""
    if not expected:
        return []
    found = [(result.case.text, expected.surprise(result.case, result.nodes, result.rate))
             for result in results if not result.mark]
    texts = [Warning(f"Outside of what {expected.machine.name} should give:",
                     tuple(f"{name}: {text}" for name, text in found if text)),
             Warning(f"Not everything could be predicted for {expected.machine.name}:",
                     tuple(expected.missing))]
    return [warning for warning in texts if warning.about]


def _about_builds(documents: Any, results: list[Result]) -> list[Warning]:
    found = []
    if any(document["context"].get("library_build_type") == "debug" for _, document in documents):
        found.append(Warning("Some documents are from a debug build: do not quote their rates.", is_grave=True))
    of_folder: dict[str, set[str]] = {}
    for result in results:
        of_folder.setdefault(result.series, set()).update(launch.commit for launch in result.launches)
    commits = sorted(set().union(*of_folder.values()))
    for folder, mixed in of_folder.items():
        if len(mixed) > 1:
            found.append(Warning(f"In {folder} rows of {len(mixed)} commits stand side by side: "
                                 + ", ".join(sorted(mixed))))
    changed = [commit for commit in commits if commit.endswith("-dirty")]
    if changed:
        found.append(Warning("Built from a changed working tree, so nobody can repeat these "
                             "exactly: " + ", ".join(changed)))
    return found


def _about_rows(results: list[Result]) -> list[Warning]:
    found = []
    unchecked = sum(result.verified is None for result in results)
    if unchecked:
        found.append(Warning(f"{unchecked} of {len(results)} cases were not verified."))
    short = sum(result.interval is None for result in results)
    if short:
        found.append(Warning(f"{short} of {len(results)} cases have no interval: fewer than "
                             f"{LEAST_VALUES} runs, one launch."))
    several = sum(len(result.launches) > 1 for result in results)
    if several:
        found.append(Warning(f"{several} cases were launched more than once: the page shows the "
                             "median of the launches' medians; the interval spans them all."))
    return found
