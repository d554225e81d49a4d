#!/usr/bin/env python3
"""Makes one HTML page, and its figures as files, from result documents (`make report`).

The page holds everything it shows, so it can be copied away and opened without a network. Documents
that cannot be used are named on it and left out."""

import argparse
import csv
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from quartet.results import collect
from reporting import comparisons, kernels_chart, machines, page, paper_figures, publications
from reporting import summary
from reporting import warnings as cautions
from reporting.cases import Failure, Measurement, joined, read
from reporting.charts.model import Chart
from reporting.charts.style import NO_MATPLOTLIB, has_matplotlib
from reporting.markup import Markup

ROOT = Path(__file__).resolve().parent.parent
DEFAULTS = [ROOT / "results" / "runs", ROOT / "results" / "measured"]
BAD_USAGE = 2


@dataclass
class Material:
    """What the page is made from."""

    documents: list[tuple[str, dict]] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def gather(paths: list[Path]) -> Material:
    """All documents at the paths, and why others cannot be used."""
    found = collect(paths)
    material = Material(skipped=list(found.skipped))
    seen = set()
    for path, document in found.documents:
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        shown = os.path.relpath(path)
        try:
            measurements, failures = read(shown, document)
        except ValueError as error:
            material.skipped.append(str(error))
            continue
        material.documents.append((shown, document))
        material.measurements += measurements
        material.failures += failures
    return material


def compose(material: Material, published: list[publications.Number]) -> page.Page:
    """The page in its order."""
    results = joined(material.measurements)
    dates = {path: str(document["context"].get("date", ""))[:10]
             for path, document in material.documents}
    sections = [kernels_chart.section(results, dates), summary.summary(results, published),
                *(paper_figures.section(figure, results, published)
                  for figure in paper_figures.FIGURES),
                comparisons.formulations(results), comparisons.devices(results),
                comparisons.fractions(results), comparisons.phases(results),
                comparisons.pairs(results), machines.section(material.documents),
                summary.every_row(material.measurements, material.failures)]
    return page.Page(_subtitle(material), cautions.warnings(
        material.documents, material.skipped, results, material.failures), sections)


def _subtitle(material: Material) -> str:
    contexts = [document["context"] for _, document in material.documents]
    dates = sorted(str(context.get("date", ""))[:10] for context in contexts)
    hosts = sorted({str(context.get("host_name", "?")) for context in contexts})
    kinds = sorted({machines.machine(document) for _, document in material.documents})
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    where = ", ".join(hosts[:6]) + (f" and {len(hosts) - 6} more hosts" if len(hosts) > 6 else "")
    count = len(material.documents)
    return (f"{count} document{'' if count == 1 else 's'} with {len(material.measurements)} "
            f"measured cases; {when}; {where}; {'; '.join(kinds)}")


def write(content: page.Page, target: Path, with_charts: bool) -> None:
    """The page and its figures' files; without charts the figures' numbers alone."""
    folder = target.parent / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    charts = {name: chart for section in content.sections
              for name, chart in zip(page.file_names(section), section.charts)}
    for name, chart in charts.items():
        _write_csv(chart, folder / f"{name}.csv")
    pictures: dict[str, Markup] = {}
    endings: tuple[str, ...] = ("csv",)
    if with_charts:
        from reporting.charts import drawing  # needs matplotlib
        pictures = {name: drawing.save(chart, folder / name) for name, chart in charts.items()}
        endings = (*drawing.ENDINGS, "csv")
    aside = target.with_name(target.name + ".part")
    aside.write_text(page.render(content, pictures, endings), encoding="utf-8")
    aside.replace(target)


def _write_csv(chart: Chart, path: Path) -> None:
    with open(path, "w", encoding="utf-8", newline="", errors="replace") as file:
        csv.writer(file, lineterminator="\n").writerows(chart.rows())


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH",
                        help="documents, or folders of them (results/runs, results/measured)")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "report" / "index.html",
                        help="the page; its figures go to figures/ beside it (%(default)s)")
    return parser.parse_args()


def say(text: str) -> None:
    print(f"report: {text}", file=sys.stderr)


def main() -> int:
    options = parse_arguments()
    paths = options.paths or [path for path in DEFAULTS if path.exists()]
    material = gather(paths)
    for why in material.skipped:
        say(f"skipped: {why}")
    if not material.documents:
        places = ", ".join(map(os.path.relpath, paths or DEFAULTS))
        say(f"no usable result document in {places}: make some (make run, or a program's --json), "
            "or name where they are")
        return BAD_USAGE
    with_charts = has_matplotlib()
    write(compose(material, publications.load()), options.output, with_charts)
    if not with_charts:
        say(f"tables instead of charts: {NO_MATPLOTLIB}")
    print(os.path.relpath(options.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
