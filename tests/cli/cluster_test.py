"""Which rank is what, and where: printed before the first run, and in the document."""

import re
import unittest

from quartet_cli import main, medians, run

ONCE = "--runs 1 --warmup 0 --limits off --device host --threads 1"
MATMUL = f"--size 96 --tile 32 --reducers 2 {ONCE}"


class Clusters(unittest.TestCase):
    def test_each_rank_has_role_index_host_and_cpus_before_the_rows(self):
        outcome = run("matmul", 4, MATMUL, "--formulation native,dataflow --cluster")
        self.assertEqual(outcome.code, 0, outcome)
        text, rows = outcome.stdout.split("matmul on host", 1)
        self.assertIn("dataflow", rows)
        self.assertIn("native: 0 reducers, 4 workers\n", text)
        flow = text.split("dataflow: 2 reducers, 2 workers\n")[1]
        found = re.findall(r"^  (\w+) +(\d): rank (\d) on (\S+), cpus [\d,-]+$", flow, re.MULTILINE)
        host = outcome.document["context"]["host_name"]
        self.assertEqual(found, [("reducer", "0", "0", host), ("reducer", "1", "1", host),
                                 ("worker", "0", "2", host), ("worker", "1", "3", host)])

    def test_the_document_has_it_whether_it_is_printed_or_not(self):
        outcome = run("matmul", 4, MATMUL, "--formulation dataflow,native")
        self.assertNotIn("rank 0 on", outcome.stdout)
        quartet = outcome.document["context"]["quartet"]
        flow, native = quartet["cluster"]
        self.assertEqual((flow["formulations"], flow["reducers"], flow["workers"]), (["dataflow"], 2, 2))
        self.assertEqual((native["formulations"], native["reducers"], native["workers"]), (["native"], 0, 4))
        self.assertEqual([(task["role"], task["index"]) for task in flow["tasks"]],
                         [("reducer", 0), ("reducer", 1), ("worker", 0), ("worker", 1)])
        self.assertEqual([(task["rank"], task["host"]) for task in flow["tasks"]],
                         [(place["rank"], place["host"]) for place in quartet["placement"]])

    def test_a_row_has_the_phases_of_each_roles_slowest_rank(self):
        for program, ranks, arguments, reducers in (("matmul", 4, MATMUL, 2), ("cg", 3, f"--size 100 {ONCE}", 1),
                                                    ("fft", 3, f"--size 4096 --tiles 64 {ONCE}", 1)):
            outcome = run(program, ranks, arguments, "--formulation dataflow,native")
            for row in medians(outcome.document):
                by_role = row.get("phases_by_role")
                if row["factors"]["formulation"] == "native":
                    self.assertIsNone(by_role)
                    continue
                self.assertEqual(set(by_role), {"reducer", "worker"}, program)
                for role, (first, last) in {"reducer": (0, reducers), "worker": (reducers, ranks)}.items():
                    slowest = max(range(first, last), key=lambda rank: row["rank_seconds"][rank])
                    self.assertEqual((by_role[role]["rank"], by_role[role]["seconds"]),
                                     (slowest, row["rank_seconds"][slowest]), row["name"])
                self.assertGreater(by_role["worker"]["phases"]["compute"], 0)
                self.assertIn(row["phases"], [its["phases"] for its in by_role.values()])

    def test_a_dry_run_shows_it(self):
        outcome = run("cg", 3, f"--size 100 --formulation dataflow --dry-run {ONCE}")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("3 ranks on 1 node, 1 thread each\ndataflow: 1 reducer, 2 workers\n", outcome.stdout)
        self.assertRegex(outcome.stdout, r"worker  1: rank 2 on \S+, cpus ")


if __name__ == "__main__":
    main()
