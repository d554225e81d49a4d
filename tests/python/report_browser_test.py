"""The report in a browser (headless Chromium), narrow and wide: nothing passes its edges, no text
lies on another or is too small to read, nothing is fetched. Skipped where there is no Chromium;
without matplotlib the page has no charts to look at."""

import html
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from quartet.commands import report
from quartet.report import style
from quartet.report.data import gather

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDTHS = (400, 1400)
KERNELS = {"matmul": "n:{0}/tile:1024", "cg": "laplace/full/classic/n:{0}/iterations:500",
           "fft": "transposed/n:{0}/tiles:64", "stream": "size:{0}KiB/pushes:100"}

# Runs in the page and leaves what it found in it. Touching by a pixel is no overlap.
PROBE = r"""
<script>
const found = [];
const name = element => `${element.tagName} "${element.textContent.trim().slice(0, 40)}"`;
const box = element => element.getBoundingClientRect();
const scrolls = element => element.closest('.scroll') !== null;
for (const details of document.querySelectorAll('details')) details.open = true;
if (document.documentElement.scrollWidth > innerWidth)
  found.push(`the page is ${document.documentElement.scrollWidth} wide`);
for (const element of document.querySelectorAll('body *:not(svg *):not(script)')) {
  const place = box(element);
  if (!scrolls(element) && (place.left < -1 || place.right > innerWidth + 1))
    found.push(`past the edge: ${name(element)}`);
}
for (const picture of document.querySelectorAll('svg')) {
  const around = box(picture), texts = [...picture.querySelectorAll('text')];
  const places = texts.map(box), scale = around.width / picture.viewBox.baseVal.width;
  places.forEach((a, i) => {
    if (a.left < around.left - 1 || a.right > around.right + 1 || a.top < around.top - 1 ||
        a.bottom > around.bottom + 1)
      found.push(`out of its picture: ${name(texts[i])} in ${name(picture)}`);
    if (parseFloat(getComputedStyle(texts[i]).fontSize) * scale < 8.5)
      found.push(`too small: ${name(texts[i])} in ${name(picture)}`);
    for (let j = i + 1; j < places.length; ++j) {
      const b = places[j];
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > a.height / 4)
        found.push(`one on the other: ${name(texts[i])}, ${name(texts[j])}`);
    }
  });
}
const blocks = [...document.querySelectorAll('h1, h2, h3, p, figure, .scroll, summary, nav, .notes')];
blocks.forEach((element, i) => blocks.slice(i + 1).forEach(other => {
  const a = box(element), b = box(other);
  if (!element.contains(other) && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
    found.push(`one on the other: ${name(element)}, ${name(other)}`);
}));
addEventListener('load', () => {
  for (const entry of performance.getEntriesByType('resource')) found.push(`asks ${entry.name}`);
  const result = document.createElement('pre');
  result.id = 'result';
  result.textContent = JSON.stringify({width: innerWidth, found});
  parent.document.body.append(result);
});
</script>
"""


def look(page, width):
    """What the probe finds in a page, at a window's width."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        # The page forbids all scripts; that of the probe has to be let in.
        allowed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
        probed = html.escape(allowed.replace("</body>", PROBE + "</body>"))
        # In a frame: the browser's own window may not be as narrow.
        file.write_text(f'<!DOCTYPE html><meta charset="utf-8"><iframe width="{width}" '
                        f'height="1000" style="border: 0" srcdoc="{probed}"></iframe>', encoding="utf-8")
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={folder}/profile", "--window-size=1600,1000", "--dump-dom",
             file.as_uri()], text=True, capture_output=True, timeout=100, check=True)
    result = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.DOTALL)
    measured = json.loads(html.unescape(result[1]))
    assert measured["width"] == width, measured["width"]
    return measured["found"]


def documents():
    """A set with everything the page can show, more and longer than usual."""
    for device, transports, factor in (("host", ("shm", "mpi", "rma"), 1), ("cuda", ("ipc",), 40)):
        document = fake_results.document(*(
            row for kernel in KERNELS for formulation in ("native", "dataflow", "library")
            for transport in transports[:3 if formulation == "native" else 1]
            for workers in (1, 2, 3, 4, 8, 16, 64) for size in ((2**12, 2**13, 2**15) if workers == 1 else (2**15,))
            for row in kernel_case(kernel, formulation, device, transport, workers, factor, size)),
            fake_results.error(fake_results.stream_name(transport="grpc"), "x" * 300),
            warnings=["w" * 300, "several words " * 30])
        document["context"]["quartet"].update(
            device=device, device_description="A processor with an unusually long name, really",
            gpus=[fake_results.GPU] if device == "cuda" else [])
        yield document


def kernel_case(kernel, formulation, device, transport, workers, factor, size):
    name = f"{kernel}/{formulation}/{device}/{transport}/{KERNELS[kernel].format(size)}/ranks:{workers}/threads:1"
    value = factor * workers**0.8 * {"native": 20, "dataflow": 11, "library": 13}[formulation] * len(transport)
    doubt = {"distrusted": True, "flags": [{"kind": "disturbed", "text": "others ran"}]} if workers == 3 else {}
    return fake_results.case(name, value, "MiB/s" if kernel == "stream" else "GFLOP/s", workers=workers,
                             fraction_of_limit=1.2 if workers == 64 else 0.8, **doubt)


@unittest.skipUnless(BROWSER, "no Chromium (Debian: chromium)")
class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for index, document in enumerate(documents()):
                (folder / f"{index}.json").write_text(json.dumps(document))
            (folder / "broken.json").write_text("{")
            content = report.compose(gather([folder]))
            with mock.patch.object(style, "save"):  # no PNG and PDF: they take long
                report.write(content, folder / "index.html", style.has_matplotlib())
            cls.page = (folder / "index.html").read_text(encoding="utf-8")
            cls.charts = sum(len(section.charts) for section in content.sections)

    @unittest.skipUnless(style.has_matplotlib(), "no matplotlib (Debian: python3-matplotlib)")
    def test_every_chart_is_looked_at(self):
        self.assertGreater(self.charts, 20)
        self.assertEqual(self.page.count("<svg "), self.charts)

    def test_nothing_passes_its_edges_overlaps_or_is_fetched(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.assertEqual(look(self.page, width), [])

    def test_the_probe_sees_what_is_wrong(self):
        spoiled = self.page.replace("<header>", """
            <img src="http://127.0.0.1:9/picture.png"><div style="width: 3000px">far</div>
            <svg viewBox="0 0 40 40" width="40"><text x="30" y="20">long text</text>
            <text x="32" y="20">another</text></svg>
            <svg viewBox="0 0 400 40" width="200"><text x="9" y="20" font-size="16">tiny</text></svg>
            <h1>first</h1><h1 style="margin-top: -3rem">second</h1><header>""")
        found = "\n".join(look(spoiled, 400))
        for expected in ("the page is 3", 'past the edge: DIV "far"', "asks http://127.0.0.1:9/",
                         'out of its picture: text "long text"',
                         'one on the other: text "long text", text "another"',
                         'too small: text "tiny"', 'one on the other: H1 "first", H1 "second"'):
            self.assertIn(expected, found)
