"""The results that the programs write: complete, valid, and consistent in themselves."""

import re
import statistics
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS, assert_refused, available_transports, cases, each, main, medians, once, run, schemas

RUNS = 6
AGGREGATES = ["median", "mean", "stddev", "cv", "min", "max", "ci95_low", "ci95_high"]
EXACT = 1e-9  # relative: the same sums in another order
MEBIBYTE = 2**20
UNITS = {"MiB/s": ("bytes", MEBIBYTE), "GFLOP/s": ("flops", 1e9)}


@once
def measured(kernel, ranks):
    formulations, transports = ",".join(kernel.formulations), ",".join(available_transports(kernel))
    outcome = run(kernel.name, ranks, kernel.small, f"--runs {RUNS}",
                  f"--formulation {formulations} --transport {transports}")
    assert outcome.code == 0, outcome
    return outcome.document


def documents():
    """Every program's, on rank counts even and odd: (kernel, ranks, document)."""
    pairs = [(kernel, ranks) for kernel in KERNELS for ranks in (2, 3, 4)]
    return each(lambda pair: (*pair, measured(*pair)), pairs)


def all_cases():
    """Every case of these: (kernel, name, case)."""
    return [(kernel, name, case) for kernel, _, document in documents()
            for name, case in cases(document).items()]


class Documents(unittest.TestCase):
    def assert_close(self, value, expected):
        self.assertLessEqual(abs(value - expected), EXACT * abs(expected))

    def test_follow_the_schema(self):
        for kernel, ranks, document in documents():
            with self.subTest(kernel.name, ranks=ranks):
                self.assertEqual(schemas.problems("results", document), [])

    def test_mpi_runs_as_it_is_configured(self):
        for kernel in KERNELS:
            environment = measured(kernel, 2)["context"]["quartet"]["environment"]
            self.assertEqual([name for name in environment if "btl_vader" in name], [])

    def test_transports_of_every_machine_are_there(self):
        for kernel in KERNELS:
            self.assertLessEqual({"mpi", "shm"}, set(available_transports(kernel)))

    def test_each_case_has_its_exact_name_and_every_row_once(self):
        for kernel, ranks, document in documents():
            with self.subTest(kernel.name, ranks=ranks):
                self.assertEqual(sorted(cases(document)),
                                 sorted(kernel.names(ranks, available_transports(kernel))))
                rows = [(row["name"], row.get("repetition_index"))
                        for row in document["benchmarks"]]
                self.assertEqual(len(rows), len(set(rows)))
        for _, name, case in all_cases():
            with self.subTest(name):
                indices = [row["repetition_index"] for row in case["runs"]]
                self.assertEqual(indices, list(range(RUNS)))
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

    def test_every_rank_has_its_time(self):
        for kernel, ranks, document in documents():
            with self.subTest(kernel.name, ranks=ranks):
                for row in document["benchmarks"]:
                    if "rank_seconds" in row:
                        self.assertEqual(len(row["rank_seconds"]), ranks)
                self.assertEqual([place["rank"] for place in
                                  document["context"]["quartet"]["placement"]], list(range(ranks)))

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

    def test_rates_follow_from_the_work_and_the_time(self):
        for kernel, name, case in all_cases():
            with self.subTest(name):
                median = case["median"]
                work, unit = UNITS[kernel.rate]
                for row in [*case["runs"], median, case["min"], case["ci95_high"]]:
                    self.assert_close(row[kernel.rate],
                                      median[work] / unit / (row["real_time"] / 1e3))
                self.assert_close(median["per_worker"], median[kernel.rate] / median["workers"])
                self.assert_close(case["stddev"][kernel.rate],
                                  statistics.stdev(row[kernel.rate] for row in case["runs"]))

    def test_every_median_stands_beside_its_limit(self):
        for kernel, name, case in all_cases():
            with self.subTest(name):
                median, limit = case["median"], case["median"]["limit"]
                self.assertEqual(len(limit["probes"]), RUNS)  # right before each
                self.assert_close(limit["seconds"], statistics.median(limit["probes"]))
                components = {part["name"]: part["seconds"]
                              for part in median["limit_components"]}
                self.assertEqual(components[median["limit_decided_by"]],
                                 max(components.values()))
                self.assert_close(median["fraction_of_limit"],
                                  limit["seconds"] / (median["real_time"] / 1e3))
                self.assert_close(limit["rate"],
                                  median[kernel.rate] / median["fraction_of_limit"])

    def test_context_records_every_option(self):
        for kernel, ranks, document in documents():
            with self.subTest(kernel.name, ranks=ranks):
                ours = document["context"]["quartet"]
                self.assertEqual((ours["program"], ours["ranks"]), (kernel.name, ranks))
                given = {"runs": str(RUNS), "threads": "1", "seed": "1", "warmup": "1",
                         "transport": ",".join(available_transports(kernel))}
                self.assertLessEqual(given.items(), ours["options"].items())


    def test_context_records_what_may_change_a_rate_from_one_day_to_the_next(self):
        told = re.search(r"^microcode\s*: (\S+)", Path("/proc/cpuinfo").read_text(), re.M)
        known = sorted(file.name for file in Path("/sys/devices/system/cpu/vulnerabilities").glob("*"))
        for _, _, document in documents():
            system = document["context"]["quartet"]["system"]
            self.assertEqual(system.get("microcode"), told and told[1])
            for name in known:
                self.assertIn(f"{name}: ", system["mitigations"])


class Files(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.file = Path(temporary.name) / "results.json"
        self.file.write_text("precious")

    def test_existing_file_is_kept(self):
        for kernel in KERNELS:
            for flag in ("--json", "--trace"):
                outcome = run(kernel.name, 2, kernel.small, f"--runs 1 {flag} {self.file}")
                assert_refused(self, outcome, 2, kernel.name, f"{self.file} exists")
                self.assertEqual(self.file.read_text(), "precious")

    def test_force_overwrites_and_leaves_nothing_else(self):
        for kernel in KERNELS:
            outcome = run(kernel.name, 2, kernel.small, f"--runs 1 --force --json {self.file}")
            self.assertEqual(outcome.code, 0, outcome)
            self.assertNotEqual(medians(schemas.read_strictly(self.file)), [])
            self.assertEqual(list(self.file.parent.iterdir()), [self.file])


if __name__ == "__main__":
    main()
