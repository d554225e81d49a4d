"""quartet nodes --this as Slurm's prolog and HealthCheckProgram, in the words of docs/cluster.md, on a real Slurm: a node that
is made slow is drained, and comes back when it is mended."""

import re
import unittest

from enclosure import ROOT, enclose, scratch

enclose("slurmctld", "slurmd", "munged", "mpirun", "taskset")
from cluster import Cluster, ClusterTest
from documents import PROGRAMS
from hosts import wait_for
from tree import QUARTET

NODES = 2
SECONDS = 120
HERE = scratch() / "this-node"
# What matters here is far beyond noise: this machine has two cores for all nodes.
CHECK = " ".join(map(str, (*QUARTET, "nodes --this --device host --kernels fft --small --budget 40 --least 0.9 --fail-closed "
                           "--build", HERE)))
# On a slow node all ranks share one core: it is slow by itself, and not because something else is busy there.
PROGRAM = f"""#!/bin/sh
[ -e {HERE}/slow.$(hostname) ] || exec {PROGRAMS / 'fft'} "$@"
exec taskset -c 0 {PROGRAMS / 'fft'} "$@"
"""
SETTINGS = f"""Prolog={HERE}/prolog
HealthCheckProgram={HERE}/health
HealthCheckInterval=15
HealthCheckNodeState=IDLE
PrologEpilogTimeout=90
BatchStartTimeout=90
"""


def scripts_of_the_page():
    """The prolog and the HealthCheckProgram as printed, but for what they call."""
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    prolog, health = (block for block in re.findall(r"^```\n(#!/bin/sh\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
                      if "nodes --this" in block)
    for place in ("/opt/quartet/bin/quartet nodes --this", "/etc/quartet/sound", "/run/quartet-node"):
        assert place in prolog, prolog
    prolog = prolog.replace("--max-age 6h ", "").replace("[ $? -ne 5 ] && exit 0", "[ $? -ne 0 ] || exit 0")
    return [re.sub(r"--budget \d+ ", "", text).replace("/opt/quartet/bin/quartet nodes --this", CHECK)
            .replace("/etc/quartet/sound", f"{HERE}/sound").replace("/run/quartet-node", f"{HERE}/said")
            for text in (prolog, health)]


def setUpModule():
    (HERE / "bin").mkdir(parents=True)
    for name, text in zip(("prolog", "health"), scripts_of_the_page()):
        # On n2 alone: the nodes share this machine's cores, and would disturb each other.
        on = f'[ -e {HERE}/{name}.on ] && [ $(hostname) = n2 ] || exit 0\nexport SLURM_CONF={scratch()}/slurm/slurm.conf\n'
        (HERE / name).write_text(text.replace("#!/bin/sh\n", f"#!/bin/sh\n{on}"))
        (HERE / name).chmod(0o755)
    (HERE / "bin" / "fft").write_text(PROGRAM)
    (HERE / "bin" / "fft").chmod(0o755)
    ClusterTest.cluster = Cluster(NODES, SETTINGS)
    unittest.addModuleCleanup(ClusterTest.cluster.close)


class NodeCheck(ClusterTest):
    @classmethod
    def setUpClass(cls):
        for _ in range(4):  # what others have disturbed is no reference
            done = cls.cluster.hosts["n1"].run("sh", "-c", f"{CHECK} --results {HERE}/sound", timeout=SECONDS)
            assert "no reference" in done.stdout, done

    def setUp(self):
        super().setUp()
        self.addCleanup((HERE / "slow.n2").unlink, missing_ok=True)
        self.addCleanup(self.cluster.run, "scontrol", "update", "NodeName=n2", "State=RESUME")

    def turn_on(self, name):
        (HERE / f"{name}.on").touch()
        self.addCleanup((HERE / f"{name}.on").unlink)

    def node(self):
        """State of n2, and the reason."""
        text = self.cluster.must("scontrol", "show", "node", "n2")
        return re.search(r"State=(\S+)", text)[1], (re.findall(r"Reason=(.*)", text) or [""])[0]

    def wait_for_state(self, is_wanted, complaint):
        wait_for(lambda: is_wanted(self.node()[0]), SECONDS, complaint, pause=3)  # questions are a load, too

    def wait_until_drained(self):
        self.wait_for_state(lambda state: "DRAIN" in state, "it is not drained")

    def wait_until_back(self):
        self.wait_for_state(lambda state: state == "IDLE", "it does not come back")

    def said(self):
        return (HERE / "said").read_text()

    def submit(self):
        return self.cluster.submit("-w", "n2", "--wrap", "true", "--output=/dev/null")

    def assert_completes(self):
        job = self.submit()
        self.cluster.wait(job)
        self.assertEqual(self.cluster.facts(job)["JobState"], "COMPLETED", self.said())
        self.assertIn("n2: sound: ", self.said())

    def test_a_prolog_drains_a_slow_node_which_runs_jobs_again_when_it_is_mended(self):
        self.turn_on("prolog")
        self.assert_completes()
        (HERE / "slow.n2").touch()
        job = self.submit()
        self.wait_until_drained()
        self.assertIn("n2: sick: ", self.said())
        self.assertIn("quartet: n2: sick: ", self.node()[1])
        self.assertEqual(self.cluster.facts(job)["JobState"], "PENDING")
        (HERE / "slow.n2").unlink()
        self.cluster.must("scontrol", "update", "NodeName=n2", "State=RESUME")
        self.cluster.must("scancel", job)
        self.assert_completes()
        self.wait_until_back()

    def test_a_health_check_drains_a_slow_node_and_takes_it_back_by_itself(self):
        (HERE / "slow.n2").touch()
        self.turn_on("health")
        self.wait_until_drained()
        self.assertIn("quartet: n2: sick: ", self.node()[1])
        (HERE / "slow.n2").unlink()
        self.wait_until_back()


if __name__ == "__main__":
    unittest.main(verbosity=2)
