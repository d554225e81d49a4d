"""Tests of quartet history: an invented year whose truth is known. They need Apache Otava (scripts/setup.sh history)."""

import datetime
import json
import os
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import fake_results
from quartet.history import facts, store

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build" / "history" / "bin" / "python"
BEGIN = datetime.datetime(2025, 1, 1, 3, tzinfo=datetime.timezone.utc)
NODES = ("n1", "n2", "n3", "n4")
ROWS = {fake_results.stream_name(size="2MiB"): 6000, fake_results.stream_name(size="16MiB"): 9000}
DAYS = range(0, 364, 3)
KERNEL, DRIVER, NOISE, DECAY, DECAYED = 120, 250, range(300, 330), 150, 300  # days


def launch(node, day, rates, **system):
    """What the check of a node left that day."""
    made = fake_results.document(*(fake_results.case(name, rate, repetitions=1) for name, rate in rates.items()))
    context = made["context"]
    context.update(date=(BEGIN + datetime.timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%S+00:00"), host_name=node)
    for place in context["quartet"]["placement"]:
        place["host"] = node
    context["quartet"]["system"] = {"processor": {"name": "A processor"}, **system}
    context["quartet"]["environment"]["JOB"] = f"{node}-{day}"  # another each time
    return made


def year(folder, rate_of, system_of, days=DAYS, rows=ROWS):
    for node in NODES:
        for day in days:
            rates = {name: rate * rate_of(node, day, name) for name, rate in rows.items()}
            (folder / f"{node}-{day:03}.json").write_text(json.dumps(launch(node, day, rates, **system_of(node, day))))


def system_of(node, day):
    return {"kernel": f"Linux 6.1.{20 + (day >= KERNEL)}", "governor": ("performance", "powersave")[day // 3 % 2],
            "microcode": f"0x{1 + (day >= DRIVER)}"}


def said(folder, *words):
    done = subprocess.run([ROOT / "scripts" / "quartet", "history", folder, *words], capture_output=True, text=True,
                          check=False, env={**os.environ, "QUARTET_PYTHON": str(PYTHON), "TZ": "UTC"})
    return done.returncode, done.stdout, done.stderr


def paragraphs(text):
    return [re.sub(r"\s+", " ", part).strip() for part in text.split("\n\n")]


class Facts(unittest.TestCase):
    def test_what_changed_with_the_rate_comes_before_what_changed_at_another_time_or_flips(self):
        times = [float(at) for at in range(40)]
        values = {"kernel": [at >= 20 for at in range(40)], "driver": [at >= 26 for at in range(40)],
                  "governor": [at % 2 for at in range(40)], "job": list(range(40)), "libc": [1] * 40}
        dated = {what: {"n1": [(time, str(value)) for time, value in zip(times, found)]}
                 for what, found in values.items()}
        found = facts.causes(dated, {}, [20.0])
        self.assertEqual([(cause.what, cause.matches) for cause in found][:2], [("kernel", True), ("driver", False)])
        self.assertEqual((found[0].before, found[0].after), ("False", "True"))
        self.assertFalse({"libc", "governor"} & {cause.what for cause in found})

    def test_of_facts_that_changed_likewise_the_one_that_rates_follow_everywhere_is_first(self):
        here = [(float(at), str(at >= 5)) for at in range(10)]
        found = facts.causes({what: {"n1": here} for what in ("a", "b")}, {"a": {"n2": here}}, [5.0])
        self.assertEqual([(cause.what, cause.elsewhere) for cause in found], [("b", 0.0), ("a", 1.0)])

    def test_machines_that_share_a_name_are_different_nodes(self):
        made = [launch("vm", day, ROWS) for day in range(6)]
        for document in made[2:4]:
            document["context"]["quartet"]["system"]["processor"] = {"name": "A processor", "model": "2"}
        made[4]["context"]["quartet"].update(gpus=[fake_results.GPU])  # of a row on the GPU: the same machine
        made[5]["context"]["quartet"]["system"]["processor"] = {"name": "Another"}
        kept = store.Store([(Path(str(number)), document) for number, document in enumerate(made)])
        counts = {series.node: len(series.rates) for series in kept.series()}
        self.assertEqual(counts, {"vm (A processor, 4 CPUs)": 5, "vm (Another, 4 CPUs)": 1})
        alone = store.Store([(Path("x"), made[0])])
        self.assertEqual({series.node for series in alone.series()}, {"vm"})

    def test_rows_in_doubt_are_no_history(self):
        made = launch("n1", 1, ROWS)
        made["benchmarks"] += fake_results.case("cg/native/host/shm/laplace/full/classic/n:64/ranks:2/threads:1", 1,
                                                "GFLOP/s", drift=0.5)
        undated = launch("n1", 2, ROWS)
        undated["context"]["date"] = "2025-02-30T00:00:00Z"
        kept = store.Store([(Path("x"), made), (Path("y"), undated)])
        self.assertEqual((kept.launches, kept.undated), (1, [Path("y")]))
        self.assertEqual(([series.row for series in kept.series()], kept.left_out), (sorted(ROWS), 1))
        self.assertEqual(kept.facts_of(["n1"], 0, 1e12)["binding"]["n1"][0][1], "0; 1")


@unittest.skipUnless(PYTHON.exists(), "no Apache Otava here: scripts/setup.sh history")
class Year(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = Path(self.place.name)

    def test_a_kernel_update_a_decaying_node_a_month_of_noise_and_a_driver_without_effect(self):
        source = random.Random(5)

        def rate_of(node, day, name):
            decayed = 0.15 * min(max((day - DECAY) / (DECAYED - DECAY), 0), 1) if node == "n3" else 0
            spread = 0.08 if day in NOISE else 0.02
            return (1 - 0.08 * (day >= KERNEL)) * (1 - decayed) * (1 + source.gauss(0, spread))
        year(self.folder, rate_of, system_of)
        code, text, errors = said(self.folder)
        self.assertEqual((code, errors), (1, ""))
        parts = paragraphs(text)
        self.assertEqual(len(parts), 4, text)
        self.assertIn("2 rows on 4 nodes, 2025-01-01 to 2025-12-30", parts[0])
        self.assertIn("since 2025-05-01 03:00 (last before: 2025-04-28 03:00): slower, all 4 nodes", parts[1])
        for interval in re.findall(r"0\.9\d+ (0\.\d+)-(0\.\d+)", parts[1]):
            self.assertLess(float(interval[0]), 0.925)
            self.assertGreater(float(interval[1]), 0.915)
        self.assertIn("changed then: kernel: Linux 6.1.20 -> Linux 6.1.21", parts[1])
        self.assertEqual(parts[1].count("changed"), 1, text)
        self.assertRegex(parts[2], "^drift from 2025-0[56]-.* to 2025-(09|1[01])-.*, no single moment: slower, n3 alone")
        self.assertIn("1% at most", parts[3])
        kernel, drift = json.loads(said(self.folder, "--json")[1])
        self.assertEqual((kernel["what"] in parts[1], kernel["why"], [len(row["nodes"]) for row in kernel["rows"]]),
                         (True, ["changed then: kernel: Linux 6.1.20 -> Linux 6.1.21"], [4, 4]))
        self.assertEqual((drift["is_drift"], drift["is_slower"], drift["why"]), (True, True, []))
        self.assertLess(drift["begin"] + 86400 * 60, drift["end"])

    def test_one_node_alone_whose_change_no_document_explains(self):
        source = random.Random(6)
        year(self.folder, lambda node, day, name: (1 - 0.1 * (node == "n2" and day >= 180)) * (1 + source.gauss(0, 0.02)),
             lambda node, day: {"kernel": "Linux 6.1.20"})
        code, text, errors = said(self.folder)
        self.assertEqual(code, 1, errors)
        self.assertEqual(text.count("since "), 1, text)
        self.assertRegex(text, r"since 2025-(06-30|07-0\d) .*: slower, n2 alone")
        self.assertIn("nothing that documents record changed at that moment", text)

    def test_sound_and_short_histories(self):
        source = random.Random(7)
        year(self.folder, lambda *_: 1 + source.gauss(0, 0.03), system_of)
        code, text, _ = said(self.folder)
        self.assertEqual((code, "No change was found." in text), (0, True), text)
        for file in sorted(self.folder.glob("*.json"))[7:]:
            file.unlink()
        code, text, _ = said(self.folder)
        self.assertEqual((code, "too few launches" in text, "No change" in text), (4, True, False), text)

    def test_alarms_are_as_rare_as_is_said(self):
        histories = int(os.environ.get("QUARTET_HISTORIES", "30"))
        done = subprocess.run([PYTHON, "tests/python/history_simulation.py", str(histories), "52"], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE, check=True)
        alarms = int(re.match(r"alarms (\d+) ", done.stdout)[1])
        self.assertLessEqual(alarms, histories // 100, done.stdout)  # all of them are the same each time


if __name__ == "__main__":
    unittest.main()
