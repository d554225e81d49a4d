"""Makes one HTML page, and its figures as files, from result documents.

The page holds everything it shows, so it can be copied away and opened without a network. Documents
that cannot be used are named on it and left out. Charts need matplotlib; without it the page has
tables. Long tables can be sorted and filtered where DataTables was installed, curves over days zoomed where dygraphs
was (scripts/setup.sh report).

    quartet report                          # results/report/index.html
    quartet report old/ new/ --output page.html
    quartet report --rates mine.json FOLDER # beside what it should give
    quartet report --kernels a.png FOLDER   # only each kernel against its limit"""

import argparse
import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from quartet.command_line import shipped_in
from quartet.exit_codes import VERIFIED, ScriptError
from quartet.files import check_output, make_folder, replacing, require_folder, write_text
from quartet.kernels import KERNELS
from quartet.paths import MACHINES, RESULTS, SHIPPED
from quartet.predict.expectation import Expectations
from quartet.report import (
    cautions,
    comparisons,
    kernels_chart,
    machines,
    orientation,
    page,
    paper_figures,
    rooflines,
    sorting,
    summary,
    zooming,
)
from quartet.report.cases import Launch, joined, read
from quartet.report.charts.markup import Markup
from quartet.report.charts.model import Chart, Timeline
from quartet.report.charts.style import NO_MATPLOTLIB, has_matplotlib, require_matplotlib
from quartet.results import Collection, collect, identity, judged, published
from quartet.results.published import Number
from quartet.tables.export import safe_cell
from quartet.terminal import printable
from quartet.text import counted, say, told

PAGE = RESULTS / "report" / "index.html"
EXAMPLE = "quartet report results/runs --output page.html"
OWN, REFERENCE = RESULTS / "runs", SHIPPED / "measured"
SHOWN = [REFERENCE / name for name in ("amd-epyc-2-cpus", "nvidia-h100-80gb-hbm3")]  # by README and docs/gpu.md


@dataclass
class Material:
    """What the page is made from."""

    documents: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    strangers: set[str] = field(default_factory=set)  # of what was skipped
    paths: list[Path] = field(default_factory=list)  # where they were looked for

    @property
    def measured(self) -> list[Launch]:
        return [launch for launch in self.launches if not launch.case.error]

    @property
    def failed(self) -> list[Launch]:
        return [launch for launch in self.launches if launch.case.error]


def gather(paths: list[Path]) -> Material:
    """Reads all documents at the paths, and keeps why others cannot be used."""
    found = collect(paths)
    material = Material(skipped=list(found.skipped), strangers=found.strangers, paths=paths)
    machines_of = identity.names([document for _, document in found.documents])
    every = judged(document for _, document in found.documents)
    for (path, document), cases, machine, series in zip(found.documents, every, machines_of, _series(found)):
        shown = printable(os.path.relpath(path))
        material.launches += read(shown, document, cases, machine, series)
        material.documents.append((shown, document))
    return material


def _series(found: Collection) -> list[str]:
    """Names each document's folder by as much of its path as tells it from the others. One sweep is
    not pooled with another."""
    folders = [path.resolve().parent.parts for path, _ in found.documents]
    different = set(folders)
    longest = max(map(len, different), default=0)
    enough = next((count for count in range(1, longest)
                   if len({parts[-count:] for parts in different}) == len(different)), longest)
    return ["/".join(parts[-enough:]) for parts in folders]


def compose(material: Material, numbers: Sequence[Number],
            reference: Optional[Material] = None,
            expected: Optional[Expectations] = None) -> page.Page:
    """The page in its order. `reference` is shown as marks in the first chart alone, what is
    `expected` as curves in the kernels' charts."""
    results = joined(material.measured)
    references = joined(reference.measured) if reference else []
    sections = [summary.summary(results, numbers),
                kernels_chart.section(results, references), rooflines.section(results),
                *(paper_figures.section(kernel, results, numbers, expected)
                  for kernel in KERNELS.values()),
                comparisons.formulations(results), comparisons.devices(results),
                comparisons.phases(results),
                comparisons.pairs(results),
                orientation.section(results, numbers),
                machines.section(material.documents),
                summary.every_row(material.launches)]
    damaged = [why for why in material.skipped if why not in material.strangers]
    return page.Page(_subtitle(material), cautions.warnings(material.documents, damaged, results, material.failed)
        + cautions.surprises(results, expected), sections)


def _subtitle(material: Material) -> str:
    contexts = [document["context"] for _, document in material.documents]
    dates = sorted(str(context.get("date", ""))[:10] for context in contexts)
    hosts = sorted({str(context.get("host_name", "?")) for context in contexts})
    kinds = sorted({launch.machine for launch in material.launches})
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    where = ", ".join(hosts[:6]) + (f" and {len(hosts) - 6} more hosts" if len(hosts) > 6 else "")
    return (f"{counted(len(material.documents), 'document')} with "
            f"{counted(len(material.measured), 'measured case')}; {when}; {where}; "
            f"{'; '.join(kinds)}")


def write(content: page.Page, target: Path, with_charts: bool, scripts: tuple[str, ...] = ()) -> None:
    """The page with its scripts, and its figures' files; without charts the figures' numbers alone."""
    folder = make_folder(target.parent / "figures")
    charts = {name: chart for section in content.sections
              for name, chart in zip(page.file_names(section), section.charts)}
    for name, chart in charts.items():
        _write_csv(chart, folder / f"{name}.csv")
    pictures: dict[str, Markup] = {}
    endings: tuple[str, ...] = ("csv",)
    if with_charts:
        from quartet.report.charts import drawing  # needs matplotlib
        pictures = {name: drawing.save(chart, folder / name)
                    for name, chart in told(list(charts.items()), "drawing charts")}
        endings = (*drawing.ENDINGS, "csv")
    write_text(target, page.render(content, pictures, endings, scripts))


def _write_csv(chart: Chart, path: Path) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(safe_cell, row) for row in chart.rows())
    write_text(path, text.getvalue())


def write_kernels(material: Material, file: Path) -> None:
    """The kernels' chart alone. Raises ScriptError if it cannot be drawn."""
    charts = kernels_chart.section(joined(material.measured)).charts
    if len(charts) != 1:
        raise ScriptError(f"--kernels shows one kind of machine, here are {len(charts)} with "
                          "limits: name documents of one")
    require_matplotlib()
    from quartet.report.charts import drawing
    with replacing(file) as aside:
        drawing.save_alone(charts[0], aside)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH",
                        help="documents, or folders of them; a folder is a series of its own "
                             "(results/runs, with results/measured as marks)")
    parser.add_argument("--output", type=Path, default=PAGE,
                        help="the page; its figures go to figures/ beside it (%(default)s)")
    parser.add_argument("--rates", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="a machine file with rates (docs/prediction.md): what it should give, beside "
                             "what was measured")
    parser.add_argument("--kernels", type=Path, metavar="FILE",
                        help="instead of the page: each kernel against its limit (png, svg, pdf)")


def run(options: argparse.Namespace) -> int:
    paths = options.paths or ([OWN] if OWN.exists() else [REFERENCE])
    material = gather(paths)
    for why in material.skipped:
        say(f"skipped: {why}")
    if not material.documents:
        places = ", ".join(map(os.path.relpath, paths))
        raise ScriptError(f"no usable result document in {places}: make some (quartet run, or a "
                          "program's --json), or name where they are")
    inputs = [path for path, _ in material.documents] + ([options.rates] if options.rates else [])
    if not options.kernels:
        if options.output != PAGE:
            require_folder(options.output.parent.parent)
        make_folder(options.output.parent)
    check_output(options.kernels or options.output, inputs)
    expected = Expectations.load(options.rates) if options.rates else None
    if options.kernels:
        write_kernels(material, options.kernels)
        print(os.path.abspath(options.kernels))
        return VERIFIED
    with_charts = has_matplotlib()
    reference = gather(SHOWN) if not options.paths and paths != [REFERENCE] else None
    content = compose(material, published.read(), reference, expected)
    has_curves = any(isinstance(chart, Timeline) for section in content.sections for chart in section.charts)
    write(content, options.output, with_charts, (*sorting.scripts(), *(zooming.scripts() if has_curves else ())))
    if not with_charts:
        say(f"tables instead of charts: {NO_MATPLOTLIB}")
    print(os.path.abspath(options.output))
    return VERIFIED
