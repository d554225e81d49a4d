"""Makes one HTML page, and its figures as files, from result documents.

The page holds everything it shows, so it can be copied away and opened without a network. Documents that cannot be used
are named on it and left out. Charts need matplotlib; without it the page has tables.

    quartet report                          # results/report/index.html
    quartet report FOLDER --output page.html
    quartet report --kernels a.png FOLDER   # only each kernel against its limit"""

import argparse
import csv
import io
import os
from pathlib import Path

from quartet.exit_codes import VERIFIED, ScriptError
from quartet.files import check_output, make_folder, replacing, require_folder, write_text
from quartet.kernels import KERNELS
from quartet.paths import RESULTS, given_or_measured
from quartet.report import figures, page, tables
from quartet.report.data import Material, gather
from quartet.report.style import NO_MATPLOTLIB, has_matplotlib, require_matplotlib
from quartet.results import grouped, published
from quartet.tables.export import safe_cell
from quartet.tables.table import machine_summary
from quartet.text import counted, say, shown

PAGE = RESULTS / "report" / "index.html"
EXAMPLE = "quartet report results/runs --output page.html"


def compose(material: Material) -> page.Page:
    """The page with all its sections."""
    numbers, results = published.read(), material.results
    return page.Page(_subtitle(material), tables.warnings(material), [
        figures.kernels(results), tables.summary(results, numbers),
        *(figures.scaling(kernel, results, numbers) for kernel in KERNELS.values()),
        tables.devices(results), tables.published(results, numbers), tables.machines(material.documents),
        tables.every_row(results, material.failed)])


def _subtitle(material: Material) -> list[str]:
    """A line about the documents, then a line about each machine."""
    contexts = [document["context"] for _, document in material.documents]
    dates = sorted(str(context.get("date", ""))[:10] for context in contexts)
    hosts = sorted({str(context.get("host_name", "?")) for context in contexts})
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    where = ", ".join(hosts[:6]) + (f" and {len(hosts) - 6} more hosts" if len(hosts) > 6 else "")
    machines = grouped(material.results, lambda result: result.machine).items()
    documents, count = counted(len(material.documents), "document"), counted(len(material.results), "row")
    return [f"{documents} with {count}; {when}; {where}",
            *(machine_summary(name, [row for result in results for row in result.rows_that_count])
              for name, results in machines)]


def write(content: page.Page, target: Path, with_charts: bool) -> None:
    """Writes the page and the files of its figures; without charts only their numbers."""
    folder = make_folder(target.parent / "figures")
    charts = {name: chart for section in content.sections for name, chart in zip(section.file_names(), section.charts)}
    for name, chart in charts.items():
        write_text(folder / f"{name}.csv", _csv(chart))
    pictures: dict[str, page.Markup] = {}
    endings: tuple[str, ...] = ("csv",)
    if with_charts:
        from quartet.report import drawing  # needs matplotlib
        pictures = {name: drawing.save(chart, folder / name) for name, chart in charts.items()}
        endings = (*drawing.ENDINGS, "csv")
    write_text(target, page.render(content, pictures, endings))


def _csv(chart: page.Chart) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(safe_cell, row) for row in chart.rows())
    return text.getvalue()


def write_kernels(material: Material, file: Path) -> None:
    """Writes only the chart of the kernels. Raises ScriptError if it cannot be drawn."""
    charts = figures.all_kernels(material.results)
    if len(charts) != 1:
        raise ScriptError(f"--kernels shows one kind of machine, here are {len(charts)} with limits: name documents of "
                          "one")
    require_matplotlib()
    from quartet.report import drawing
    with replacing(file) as aside:
        drawing.save_alone(charts[0], aside)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH",
                        help="documents, or folders of them (results/runs, else the shipped results/measured)")
    parser.add_argument("--output", type=Path, default=PAGE,
                        help="the page; its figures go to figures/ beside it (%(default)s)")
    parser.add_argument("--kernels", type=Path, metavar="FILE",
                        help="instead of the page: each kernel against its limit (png, svg, pdf)")


def run(options: argparse.Namespace) -> int:
    paths = given_or_measured(options.paths)
    material = gather(paths)
    for why in material.skipped:
        say(f"skipped: {why}")
    if not material.documents:
        places = ", ".join(map(shown, paths))
        raise ScriptError(f"no usable result document in {places}: make some (quartet run, or a "
                          "program's --json), or name where they are")
    target = options.kernels or options.output
    if not options.kernels:
        if target != PAGE:
            require_folder(target.parent.parent)
        make_folder(target.parent)
    check_output(target, [Path(path) for path, _ in material.documents])
    if options.kernels:
        write_kernels(material, target)
    else:
        with_charts = has_matplotlib()
        write(compose(material), target, with_charts)
        if not with_charts:
            say(f"tables instead of charts: {NO_MATPLOTLIB}")
    print(os.path.abspath(target))
    return VERIFIED
