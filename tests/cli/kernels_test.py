"""Each kernel in each formulation, over MPI and shared memory: right, and in documents that are complete, valid and
consistent in themselves. With --all: on other rank counts, and over every transport of the host."""

import re
import statistics
import sys
import unittest
from pathlib import Path

from quartet_cli import (KERNELS, TRANSPORTS, Scratch, available_transports, cases, each, main, medians,
                         once, run, schemas)

ALL = "--all" in sys.argv
RANKS = (2, 4) if ALL else (3,)
RUNS = 6
AGGREGATES = ["median", "mean", "stddev", "cv", "min", "max", "ci95_low", "ci95_high"]
EXACT = 1e-9  # relative: the same sums in another order
UNITS = {"MiB/s": ("bytes", 2**20), "GFLOP/s": ("flops", 1e9)}


def transports_of(kernel):
    return available_transports(kernel) if ALL else TRANSPORTS


@once
def measured(kernel, ranks):
    outcome = run(kernel.name, ranks, kernel.small, f"--runs {RUNS}",
                  f"--formulation {','.join(kernel.formulations)} --transport {','.join(transports_of(kernel))}")
    assert outcome.code == 0, outcome
    return outcome.document


def documents():
    pairs = [(kernel, ranks) for kernel in KERNELS for ranks in RANKS]
    return each(lambda pair: (*pair, measured(*pair)), pairs)


def all_cases():
    """Every case of these: (kernel, name, case)."""
    return [(kernel, name, case) for kernel, _, document in documents() for name, case in cases(document).items()]


class Documents(unittest.TestCase):
    def assert_close(self, value, expected):
        self.assertLessEqual(abs(value - expected), EXACT * abs(expected))

    def test_follow_the_schema(self):
        for kernel, ranks, document in documents():
            with self.subTest(kernel.name, ranks=ranks):
                self.assertEqual(schemas.problems("results", document), [])

    def test_each_case_has_its_exact_name_and_every_row_once(self):
        for kernel, ranks, document in documents():
            with self.subTest(kernel.name, ranks=ranks):
                self.assertEqual(sorted(cases(document)), sorted(kernel.names(ranks, transports_of(kernel))))
                rows = [(row["name"], row.get("repetition_index")) for row in document["benchmarks"]]
                self.assertEqual(len(rows), len(set(rows)))
        for _, name, case in all_cases():
            with self.subTest(name):
                self.assertEqual([row["repetition_index"] for row in case["runs"]], list(range(RUNS)))
                self.assertEqual(list(case), ["runs", *AGGREGATES])
                for aggregate in AGGREGATES:
                    self.assertEqual(case[aggregate]["name"], f"{name}_{aggregate}")

    def test_results_are_verified(self):
        for _, name, case in all_cases():
            with self.subTest(name):
                self.assertIs(case["median"]["verified"], True)
                self.assertLessEqual(case["median"]["error"], case["median"]["tolerance"])

    def test_time_is_the_slowest_ranks(self):
        for _, name, case in all_cases():
            with self.subTest(name):
                for row in case["runs"]:
                    self.assertEqual(row["time_unit"], "ms")
                    slowest = 1e3 * max(row["rank_seconds"])
                    if row["name"].endswith("/paper"):
                        self.assertLessEqual(row["real_time"], slowest)
                    else:
                        self.assert_close(row["real_time"], slowest)

    def test_aggregates_follow_from_the_runs(self):
        for _, name, case in all_cases():
            with self.subTest(name):
                for key in ("real_time", "cpu_time"):
                    times = [row[key] for row in case["runs"]]
                    mean, spread = statistics.mean(times), statistics.stdev(times)
                    expected = {"median": statistics.median(times), "mean": mean, "stddev": spread,
                                "cv": spread / mean, "min": min(times), "max": max(times),
                                "ci95_low": min(times), "ci95_high": max(times)}  # of six runs
                    for aggregate, value in expected.items():
                        self.assert_close(case[aggregate][key], value)

    def test_rates_and_limits_follow_from_the_work_and_the_times(self):
        for kernel, name, case in all_cases():
            with self.subTest(name):
                median, limit = case["median"], case["median"]["limit"]
                work, unit = UNITS[kernel.rate]
                for row in [*case["runs"], median, case["min"], case["ci95_high"]]:
                    self.assert_close(row[kernel.rate], median[work] / unit / (row["real_time"] / 1e3))
                self.assertEqual(len(limit["probes"]), RUNS)  # right before each
                self.assert_close(limit["seconds"], statistics.median(limit["probes"]))
                parts = {part["name"]: part["seconds"] for part in median["limit_components"]}
                self.assertEqual(parts[median["limit_decided_by"]], max(parts.values()))
                self.assert_close(median["fraction_of_limit"], limit["seconds"] / (median["real_time"] / 1e3))
                self.assert_close(limit["rate"], median[kernel.rate] / median["fraction_of_limit"])

    def test_context_records_ranks_options_and_what_may_change_a_rate(self):
        microcode = re.search(r"^microcode\s*: (\S+)", Path("/proc/cpuinfo").read_text(), re.M)
        known = sorted(file.name for file in Path("/sys/devices/system/cpu/vulnerabilities").glob("*"))
        for kernel, ranks, document in documents():
            with self.subTest(kernel.name, ranks=ranks):
                ours = document["context"]["quartet"]
                self.assertEqual((ours["program"], ours["ranks"]), (kernel.name, ranks))
                self.assertEqual([place["rank"] for place in ours["placement"]], list(range(ranks)))
                given = {"runs": str(RUNS), "threads": "1", "seed": "1", "warmup": "1",
                         "transport": ",".join(transports_of(kernel))}
                self.assertLessEqual(given.items(), ours["options"].items())
                self.assertEqual(ours["system"].get("microcode"), microcode and microcode[1])
                for name in known:
                    self.assertIn(f"{name}: ", ours["system"]["mitigations"])
                self.assertEqual([name for name in ours["environment"] if "btl_vader" in name], [])


class Traces(Scratch):
    def test_name_ranks_lines_and_runs(self):
        for kernel in KERNELS:
            file = self.folder / f"{kernel.name}.json"
            outcome = run(kernel.name, 2, kernel.small, f"--runs 2 --limits off --transport mpi --trace {file}")
            self.assertEqual(outcome.code, 0, outcome)
            document = schemas.read_strictly(file)
            self.assertEqual(document["otherData"], {"dropped_spans": 0})
            events = document["traceEvents"]
            names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
            for rank, name in enumerate(names):
                self.assertRegex(name, rf"^rank {rank}, [^,]+, (worker|reducer|worker or reducer)$")
            spans = [event for event in events if event["ph"] == "X"]
            self.assertEqual({span["pid"] for span in spans}, {0, 1})
            tracks = {(event["pid"], event["tid"]) for event in events
                      if event["ph"] == "M" and event["name"] == "thread_name"}
            self.assertLessEqual({(span["pid"], span["tid"]) for span in spans}, tracks)
            first = medians(outcome.document)[0]["run_name"].removesuffix("/paper")
            runs = [span for span in spans if span["name"] == first]
            self.assertGreaterEqual(len(runs), 2 * (1 + 2), "each run, and the one to warm up, of each rank")
            for one in runs:
                within = [span for span in spans if span["tid"] > 0 and span["pid"] == one["pid"] and
                          span["ts"] >= one["ts"] and span["ts"] + span["dur"] <= one["ts"] + one["dur"]]
                self.assertNotEqual(within, [], "a run without spans")


class Rows(unittest.TestCase):
    """What only one kernel has."""

    def rows(self, kernel, ranks, *arguments):
        outcome = run(kernel, ranks, "--device host --threads 1 --runs 1", *arguments)
        self.assertEqual(outcome.code, 0, outcome)
        rows = medians(outcome.document)
        self.assertTrue(rows and all(row["verified"] for row in rows), outcome)
        return rows

    def test_cg_has_the_same_bits_in_native_and_dataflow_over_any_transport(self):
        solve = "--problem random --size 101 --iterations 60 --transport mpi,shm --limits off"
        rows = self.rows("cg", 2, solve) + [row for queue in (1, 16) for row in self.rows(
            "cg", 3, solve, f"--formulation dataflow --queue {queue}")]
        self.assertEqual([row["workers"] for row in rows], [2] * 6)
        for row in rows:
            self.assertEqual(row["residual_history"], rows[0]["residual_history"])

    def test_cg_counts_each_stored_element(self):
        for row in self.rows("cg", 3, "--size 200 --iterations 30 --storage full,symmetric --transport mpi,shm"):
            self.assertEqual(len(row["residual_history"]), 31)
            self.assertAlmostEqual(row["residual_history"][-1], row["true_residual"], places=7)
            self.assertEqual(row["flops"], 30 * 2 * 200**2)
            self.assertEqual(row["bytes"], 30 * (8 if "/full/" in row["run_name"] else 4) * 200**2)
            self.assertLessEqual(row["residual_gap"], row["residual_gap_tolerance"])

    def test_fft_takes_ragged_sizes_in_both_orders(self):
        for ranks, arguments in ((1, "--size 1"), (3, "--size 44100"), (3, "--size 1000000 --order natural"),
                                 (4, "--size 3 --order natural")):
            row, = self.rows("fft", ranks, arguments)
            self.assertLess(row["error"], row["tolerance"])
        self.assertIn("all-to-all", row["limit"]["what"])


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--all"]
    main()
