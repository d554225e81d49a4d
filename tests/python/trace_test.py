"""Tests of quartet trace over a fake timeline."""

import importlib.util
import io
import json
import os
import subprocess
import unittest

from fake_build import Scratch
from in_process import quartet
from quartet.commands import trace as trace_command
from quartet.report import style
from tree import QUARTET

CASE = "matmul/dataflow/host/shm/n:1024/ranks:2/threads:1"


def trace():
    """Two ranks, of which one computes for 4 of 10 ms and then waits for 2."""
    names = [{"ph": "M", "name": "process_name", "pid": rank, "args": {"name": f"rank, {role}"}}
             for rank, role in enumerate(("reducer", "worker"))]
    names += [{"ph": "M", "name": "thread_name", "pid": rank, "tid": 0, "args": {"name": "compute"}}
              for rank in range(2)]

    def span(rank, category, begin, length, name="x"):
        return {"ph": "X", "cat": category, "name": name, "pid": rank, "tid": 0, "ts": begin, "dur": length}

    runs = [span(rank, "run", 1000, 10000, CASE) for rank in range(2)]
    return {"traceEvents": [*names, *runs, span(1, "compute", 2000, 4000),
                            span(1, "wait", 6000, 2000), span(0, "reduce", 7000, 1000)]}


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
class Pictures(unittest.TestCase):
    def axes(self, timeline=None):
        timeline = timeline or trace_command.Timeline(trace())
        begin, end, title = timeline.run("", -1)
        with style.applied():
            axes, = trace_command.draw(timeline, timeline.within(begin, end), begin, end, title).get_axes()
        return axes

    def test_spans_lie_at_their_times_in_their_phases_colours(self):
        from matplotlib.colors import to_hex
        spans = {to_hex(bars.get_facecolor()[0]): bars.get_paths()[0].get_extents().intervalx
                 for bars in self.axes().collections}
        expected = {"compute": [1, 5], "wait": [5, 7], "reduce": [6, 7]}  # ms of the run
        self.assertEqual({colour: list(times) for colour, times in spans.items()},
                         {style.PHASES[phase].lower(): times for phase, times in expected.items()})

    def test_a_rank_that_reduces_in_another_case_has_its_own_role_in_this_one(self):
        for formulation, role in (("native", "worker"), ("dataflow", "reducer")):
            text = json.dumps(trace()).replace("rank, reducer", "rank, worker or reducer")
            timeline = trace_command.Timeline(json.loads(text.replace("/dataflow/", f"/{formulation}/")))
            axes = self.axes(timeline)
            self.assertIn(f"rank 0\n{role}", [label.get_text() for label in axes.texts])

    def test_what_is_too_short_to_be_seen_is_a_dot(self):
        thin = trace_command.Timeline({"traceEvents": [*trace()["traceEvents"], {
            "ph": "X", "cat": "read", "name": "x", "pid": 0, "tid": 0, "ts": 9000, "dur": 1}]})
        widths = [path.get_extents().width for bars in self.axes(thin).collections for path in bars.get_paths()]
        self.assertGreater(min(widths), 0.01)  # of 10 ms

    def test_a_long_title_ends_within_the_picture(self):
        long = CASE.replace("/ranks", "/tile:256/reducers:1/queue:16/checkpoint:1000/data:files/ranks")
        axes = self.axes(trace_command.Timeline(json.loads(json.dumps(trace()).replace(CASE, long))))
        with style.applied():
            axes.figure.savefig(io.BytesIO())
        title, = (child for child in axes.get_children() if getattr(child, "get_text", str)().startswith("matmul"))
        self.assertLess(title.get_window_extent().x1, axes.figure.bbox.width)


class Command(Scratch):
    def setUp(self):
        super().setUp()
        self.file = self.write("trace.json", json.dumps(trace()))

    def run_it(self, *arguments):
        return quartet("trace", self.file, self.folder / "picture.svg", *arguments)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
    def test_picture_names_the_case_and_the_ranks(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("matmul: dataflow host shm", "rank 1", "worker"):
            self.assertIn(text, (self.folder / "picture.svg").read_text())

    def test_without_matplotlib_it_is_not_available_here(self):
        self.write("matplotlib/__init__.py", "raise ImportError('kept away')")
        done = subprocess.run([*QUARTET, "trace", self.file, self.file.with_suffix(".png")], text=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(self.folder)})
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (77, 1), done.stderr)

    def test_damaged_timelines_are_refused_in_a_line(self):
        for events in (None, {}, [None], [{"name": "a", "ph": "X"}], [{"name": [], "ph": {}}],
                       [{"name": "process_name", "ph": "M", "pid": 0, "args": []}],
                       [{"name": "a", "ph": "X", "cat": "run", "pid": 0, "tid": 0, "ts": "0", "dur": 1}],
                       [{"name": "a", "ph": "X", "cat": "run", "pid": [], "tid": 0, "ts": 0, "dur": 1}]):
            self.file.write_text(json.dumps({"traceEvents": events}))
            done = self.run_it()
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)

    def test_what_cannot_be_drawn_is_said_with_what_can(self):
        for arguments, said in ((("--case", "fft"), f"there are: {CASE}"), (("--run", "7"), "(the trace has 1 run of this case, with those that warm up): use 0 to 0"),
                                (("--from", "99"), "the run has 10 ms")):
            done = self.run_it(*arguments)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
            self.assertIn(said, done.stderr)
        other = quartet("trace", "nowhere.json", "a.xyz")
        self.assertEqual((other.returncode, "ends with .png" in other.stderr), (2, True))
        self.assertIn("(there is no such file): a program's --trace nowhere.json makes it\n",
                      quartet("trace", "nowhere.json", "a.png").stderr)
